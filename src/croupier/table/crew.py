"""The people who work at a table: who they are, and what they may do there.

The server checks a person's role when they tap in. From then on, who may do something at the table
is a question about its crew alone.
"""

from typing import Literal, NamedTuple

from croupier.errors import Refused
from croupier.rules.vocabulary import Keeper

Role = Literal["dealer", "floor", "surveillance", "auditor"]
"""What a person may be for a house; the server knows who is, and says so in commands."""
Approver = Literal["floor", "surveillance", "auditor"]
"""A role that may be given approvals; operators have none, for they administer the house."""
Post = Literal["dealer", "clerk", "floor"]
"""What a person does at a table. A clerk helps the dealer and confirms nothing."""
POSTS: tuple[Post, ...] = ("dealer", "clerk", "floor")
ROLE_FOR: dict[Post, Role] = {"dealer": "dealer", "clerk": "dealer", "floor": "floor"}
"""The role that a post takes."""
PERSON: dict[Post, Keeper] = {"dealer": "dealer", "floor": "floorperson"}
"""The person of the book that somebody at a post is."""


class Who(NamedTuple):
    """A person who acts, and the role they act in."""

    person: str
    role: Role


class Approvers(NamedTuple):
    """The roles that approve proposals; a house without surveillance has others."""

    void: tuple[Approver, ...] = ("floor",)
    """A void after the first card."""
    void_turned: tuple[Approver, ...] = ("surveillance",)
    """A void once a hand that plays for a meter is turned up."""
    award: tuple[Approver, ...] = ("surveillance",)
    """An award from `witnessed` up, rejecting one, and a stake or choice that plays for a meter."""
    correction: tuple[Approver, ...] = ("floor",)
    """A card, payment, stake or choice that is corrected after somebody acted on it."""
    meter: tuple[Approver, ...] = ("auditor",)
    """An adjustment of a meter, or of a player's chips."""


APPROVERS = Approvers()


class Crew(NamedTuple):
    """The person at each post of a table, '' if it is empty."""

    dealer: str = ""
    clerk: str = ""
    floor: str = ""

    def at(self, post: Post) -> str:
        """Return the person at a post."""
        return str(getattr(self, post))

    def post_of(self, person: str) -> Post | None:
        """Return the post of a person, None if they don't work here."""
        return next((post for post in POSTS if person and self.at(post) == person), None)

    def with_(self, post: Post, person: str) -> "Crew":
        """Return the crew with a person at a post, '' to leave it empty."""
        return self._replace(**{post: person})

    def without(self, person: str) -> "Crew":
        """Return the crew without a person."""
        post = self.post_of(person)
        return self.with_(post, "") if post else self


NO_CREW = Crew()


def check_post(crew: Crew, person: str, posts: tuple[Post, ...], clause: str | None = None) -> Post:
    """Return the post that a person has, or refuse what only others may do."""
    post = crew.post_of(person)
    if post is None:
        raise Refused("not_tapped_in", "tap in before you work at this table")
    if post not in posts:
        allowed = " or the ".join(PERSON.get(one, one) for one in posts) or "nobody"
        message = f"the {allowed} does this, not the {PERSON.get(post, post)}"
        raise Refused("wrong_person", message, clause=clause)
    return post
