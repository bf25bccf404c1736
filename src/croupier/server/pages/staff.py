"""The pages of the staff: coming in by a one-time link."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from croupier.server.pages.render import page

router = APIRouter(include_in_schema=False)


@router.get("/staff")
async def entry_page(
    request: Request, link: Annotated[str, Query(max_length=100)] = ""
) -> Response:
    """Show the form in which new staff set their password."""
    return page(request, "staff_entry", link=link)
