//! The damages of `redaction.key`. How it is written is in `redaction_key`: nobody calls for it.

use loopmem::Store;
use loopmem::doctor::Fault;

use super::memory::filled;
use super::{Damage, Room, View, damages};

pub(crate) const ROOM: Room = Room { operations: &[], damages: DAMAGES, read };

damages! {
    /// It is no key.
    a_damaged_key = DAMAGED;
    /// As a crash of another program leaves it.
    an_empty_key = Damage { bytes: |_| Some(Vec::new()), ..DAMAGED };
    /// What a dead writer left.
    litter_beside_a_key = Damage { file: "redaction.key.a1.tmp", faults: &[Fault::Litter], ..DAMAGED };
    /// A later version wrote it.
    a_key_that_is_too_new =
        Damage { bytes: |_| Some(b"{\"schemaVersion\":2}".to_vec()), faults: &[Fault::TooNew], ..DAMAGED };
}

const DAMAGED: Damage = Damage {
    home: filled,
    file: "redaction.key",
    bytes: |_| Some(b"{\"schemaVersion\":1,\"key\":\"of nobody's business\"}".to_vec()),
    faults: &[Fault::Damaged],
    besides: &[],
};

/// Nobody reads a key.
fn read(_: &Store, _: &mut View) {}
