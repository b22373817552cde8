    if TYPE_CHECKING:

        @classmethod
        def open(cls, **options: Unpack[t.StoreOptions]) -> Opening[Self]:
            """Opens a store; nothing is created until the first write. `loopmem.Store.open` describes the options.

            `async with Store.open() as store` closes it at the end; `await Store.open()` leaves that to the caller.
            """
            raise NotImplementedError
    else:
        open = classmethod(opening(_rooms.StoreApi.open.__func__))

    @classmethod
    async def _open(cls, options: Mapping[str, object]) -> Self:
        raise NotImplementedError

    call = awaited(_rooms.StoreApi.call)
