    if not TYPE_CHECKING:
        # Its types are those of `Calls`.
        def call(
            self,
            method: str,
            params: Mapping[str, object] | None = None,
            *,
            timeout: float | None = None,
            cancel: Cancel | None = None,
            on_redaction: Callable[[t.Redaction], object] | None = None,
            on_progress: Callable[[int, int], object] | None = None,
        ) -> object:
            """Calls a method by its name.

            Offsets into a text are UTF-8 bytes here.

            Parameters
            ----------
            method : str
                The name of the method, such as `memory.get`.
            params : mapping, optional
                The params, with their names in the method reference. Default: none.
            timeout : float, optional
                The maximum time that the call waits in total, in seconds: for locks and for an adapter. With 0 the call
                does not wait for locks. Default: as configured.
            cancel : Cancel, optional
                A request to cancel the call, which any thread may trigger.
            on_redaction : callable, optional
                Called with a `Redaction` for each field of which the call redacted something, before it returns. An
                exception in it is reported and not raised. The logger gets the same as warnings.
            on_progress : callable, optional
                Called with the number of completed steps and the total while a long call runs, such as the files that
                were read for the index of a repository. It runs on the calling thread, where calls of loopmem raise
                `Misuse`, or on the event loop. An exception in it is reported and not raised.

            Returns
            -------
            object
                The result of the method, as decoded by `json.loads`.

            Raises
            ------
            ValidationError
                The method does not exist, or the params are invalid.
            LoopmemError
                Any error that the method raises.
            """
            return self._caller.call(
                method,
                {} if params is None else params,
                timeout=timeout,
                cancel=cancel,
                on_redaction=on_redaction,
                on_progress=on_progress,
            )
