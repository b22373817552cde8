//! The tools of the reference server, in its words.

use loopmem::Result;
use loopmem::graph::{Additions, Contents, Deletions, Entity, Graph, Relation};
use rmcp::model::{JsonObject, ToolAnnotations};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::shape::{Member, Shape, check};

/// A tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    title: &'static str,
    description: &'static str,
    effect: Effect,
    takes: &'static [Member],
    returns: &'static [Member],
    run: fn(&Graph, &JsonObject) -> Result<Answer>,
}

/// What a tool does to the graph.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Effect {
    Reads,
    Adds,
    Removes,
}

/// What a tool answers, as a text and as JSON.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) structured: Value,
}

const TEXT: Shape = Shape::Text;
const TEXTS: Shape = Shape::List(&TEXT);
const ENTITY: Shape = Shape::Object(&[
    ("name", "The name of the entity", &TEXT),
    ("entityType", "The type of the entity", &TEXT),
    ("observations", "An array of observation contents associated with the entity", &TEXTS),
]);
const ENTITIES: Shape = Shape::List(&ENTITY);
const RELATION: Shape = Shape::Object(&[
    ("from", "The name of the entity where the relation starts", &TEXT),
    ("to", "The name of the entity where the relation ends", &TEXT),
    ("relationType", "The type of the relation", &TEXT),
]);
const RELATIONS: Shape = Shape::List(&RELATION);
const GRAPH: &[Member] = &[("entities", "", &ENTITIES), ("relations", "", &RELATIONS)];
const DONE: &[Member] = &[("success", "", &Shape::Bool), ("message", "", &TEXT)];

pub(super) static TOOLS: [Tool; 9] = [
    Tool {
        name: "create_entities",
        title: "Create Entities",
        description: "Create multiple new entities in the knowledge graph",
        effect: Effect::Adds,
        takes: &[("entities", "", &ENTITIES)],
        returns: &[("entities", "", &ENTITIES)],
        run: |graph, given| listed("entities", &graph.create_entities(&part::<Vec<Entity>>(given, "entities"))?),
    },
    Tool {
        name: "create_relations",
        title: "Create Relations",
        description: "Create multiple new relations between entities in the knowledge graph. Relations should be in active voice",
        effect: Effect::Adds,
        takes: &[("relations", "", &RELATIONS)],
        returns: &[("relations", "", &RELATIONS)],
        run: |graph, given| listed("relations", &graph.create_relations(&part::<Vec<Relation>>(given, "relations"))?),
    },
    Tool {
        name: "add_observations",
        title: "Add Observations",
        description: "Add new observations to existing entities in the knowledge graph",
        effect: Effect::Adds,
        takes: &[(
            "observations",
            "",
            &Shape::List(&Shape::Object(&[
                ("entityName", "The name of the entity to add the observations to", &TEXT),
                ("contents", "An array of observation contents to add", &TEXTS),
            ])),
        )],
        returns: &[(
            "results",
            "",
            &Shape::List(&Shape::Object(&[("entityName", "", &TEXT), ("addedObservations", "", &TEXTS)])),
        )],
        run: |graph, given| listed("results", &graph.add_observations(&part::<Vec<Additions>>(given, "observations"))?),
    },
    Tool {
        name: "delete_entities",
        title: "Delete Entities",
        description: "Delete multiple entities and their associated relations from the knowledge graph",
        effect: Effect::Removes,
        takes: &[("entityNames", "An array of entity names to delete", &TEXTS)],
        returns: DONE,
        run: |graph, given| {
            graph.delete_entities(&part::<Vec<String>>(given, "entityNames"))?;
            Ok(done("Entities deleted successfully"))
        },
    },
    Tool {
        name: "delete_observations",
        title: "Delete Observations",
        description: "Delete specific observations from entities in the knowledge graph",
        effect: Effect::Removes,
        takes: &[(
            "deletions",
            "",
            &Shape::List(&Shape::Object(&[
                ("entityName", "The name of the entity containing the observations", &TEXT),
                ("observations", "An array of observations to delete", &TEXTS),
            ])),
        )],
        returns: DONE,
        run: |graph, given| {
            graph.delete_observations(&part::<Vec<Deletions>>(given, "deletions"))?;
            Ok(done("Observations deleted successfully"))
        },
    },
    Tool {
        name: "delete_relations",
        title: "Delete Relations",
        description: "Delete multiple relations from the knowledge graph",
        effect: Effect::Removes,
        takes: &[("relations", "An array of relations to delete", &RELATIONS)],
        returns: DONE,
        run: |graph, given| {
            graph.delete_relations(&part::<Vec<Relation>>(given, "relations"))?;
            Ok(done("Relations deleted successfully"))
        },
    },
    Tool {
        name: "read_graph",
        title: "Read Graph",
        description: "Read the entire knowledge graph",
        effect: Effect::Reads,
        takes: &[],
        returns: GRAPH,
        run: |graph, _| Ok(shown(&graph.read()?)),
    },
    Tool {
        name: "search_nodes",
        title: "Search Nodes",
        description: "Search for nodes in the knowledge graph based on a query",
        effect: Effect::Reads,
        takes: &[("query", "The search query to match against entity names, types, and observation content", &TEXT)],
        returns: GRAPH,
        run: |graph, given| Ok(shown(&graph.search(&part::<String>(given, "query"))?)),
    },
    Tool {
        name: "open_nodes",
        title: "Open Nodes",
        description: "Open specific nodes in the knowledge graph by their names",
        effect: Effect::Reads,
        takes: &[("names", "An array of entity names to retrieve", &TEXTS)],
        returns: GRAPH,
        run: |graph, given| Ok(shown(&graph.open(&part::<Vec<String>>(given, "names"))?)),
    },
];

impl Tool {
    /// Whether it changes nothing.
    pub(super) fn reads(&self) -> bool {
        self.effect == Effect::Reads
    }

    /// Runs it.
    ///
    /// # Errors
    /// Those of the graph. What has another shape than the tool takes is the inner one, in the words of the reference server.
    pub(super) fn call(&self, graph: &Graph, given: &JsonObject) -> Result<Result<Answer, String>> {
        let mut issues = Vec::new();
        check(self.takes, given, "", &mut issues);
        if issues.is_empty() {
            return (self.run)(graph, given).map(Ok);
        }
        let (name, issues) = (self.name, issues.join("\n"));
        Ok(Err(format!("MCP error -32602: Input validation error: Invalid arguments for tool {name}: {issues}")))
    }

    /// As the protocol describes it.
    pub(super) fn described(&self) -> rmcp::model::Tool {
        let annotations = ToolAnnotations::new()
            .read_only(self.reads())
            .destructive(self.effect == Effect::Removes)
            .idempotent(self.effect != Effect::Adds)
            .open_world(false);
        rmcp::model::Tool::new(self.name, self.description, Shape::schema(self.takes, false))
            .with_title(self.title)
            .with_raw_output_schema(Shape::schema(self.returns, true).into())
            .annotate(annotations)
    }
}

/// A param whose shape was checked.
fn part<T: DeserializeOwned + Default>(given: &JsonObject, name: &str) -> T {
    given.get(name).and_then(|value| serde_json::from_value(value.clone()).ok()).unwrap_or_default()
}

/// A list: as the text alone, and as JSON as a member of this name.
fn listed(name: &str, list: &impl Serialize) -> Result<Answer> {
    Ok(Answer { text: pretty(list), structured: json!({ name: list }) })
}

fn done(message: &str) -> Answer {
    Answer { text: message.to_owned(), structured: json!({ "success": true, "message": message }) }
}

fn shown(contents: &Contents) -> Answer {
    Answer { text: pretty(contents), structured: json!(contents) }
}

/// The text of JSON, in lines.
pub(super) fn pretty(value: &impl Serialize) -> String {
    // Texts and lists of them always serialize.
    serde_json::to_string_pretty(value).unwrap_or_default()
}
