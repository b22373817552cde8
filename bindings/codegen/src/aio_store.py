    if TYPE_CHECKING:

        @classmethod
        async def open(cls, **options: Unpack[t.StoreOptions]) -> Self:
            """Opens a store; nothing is created until the first write. `loopmem.Store.open` describes the options."""
            raise NotImplementedError
    else:
        open = classmethod(awaited(_rooms.StoreApi.open.__func__))

    @classmethod
    async def _open(cls, options: Mapping[str, object]) -> Self:
        raise NotImplementedError

    call = awaited(_rooms.StoreApi.call)
