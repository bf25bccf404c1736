"""Routes that read JSON strictly."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict

from croupier.errors import Refused
from croupier.reading.json import parse_message


class Body(BaseModel):
    """A request body: exactly these keys, each of exactly this type."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class StrictRequest(Request):
    """A request whose JSON is read strictly."""

    async def json(self) -> Any:
        try:
            return parse_message(await self.body())
        except Refused as error:
            # FastAPI only passes on its own kind of error from here.
            detail = {"code": error.code, "message": error.message, "field": error.field}
            raise HTTPException(400, detail) from None


class StrictRoute(APIRoute):
    """A route whose requests are read strictly: `APIRouter(route_class=StrictRoute)`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            return await handle(StrictRequest(request.scope, request.receive))

        return strictly
