"""Rules for redirects: origins of addresses, which redirects are followed, how far away an address is. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal
from urllib.parse import urljoin, urlsplit

from msgspec import Struct

Distance = Literal["machine", "link", "private", "public"]
"""Kind of an IP address: loopback, link-local (metadata services of clouds), private network, or public."""
PLACES: Final = {"machine": "machine", "link": "machine's own network", "private": "local network"}
REACHES: Final[dict[str, tuple[Distance, ...]]] = {
    "public": ("public",),
    "private": ("public", "private"),
    "machine": ("public", "private", "machine"),
    "link": ("public", "private", "machine", "link"),
}
"""Distance of the endpoint -> distances of servers that it may redirect to."""
_ORIGIN: Final = re.compile(r"https?://[^/?#]+", re.ASCII | re.IGNORECASE)
_NUMERIC_HOST: Final = re.compile(r"[0-9.]+|[0-9a-fA-F:]+|0[xX][0-9a-fA-F]+")
_LOCAL_NAMES: Final = (".localhost", ".internal", ".local")


class Origin(Struct, frozen=True):
    """Scheme, host and port: the scope of a credential."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"

    @property
    def authority(self) -> str:
        """Host and port as a Host header states them."""
        usual = self.port == (443 if self.scheme == "https" else 80)
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if usual else f"{host}:{self.port}"


def origin_of(url: str) -> Origin | None:
    """The origin of a web address; None for other addresses."""
    found = _ORIGIN.match(url)
    return None if found is None else _origin(found[0])


@lru_cache(maxsize=256)
def _origin(url: str) -> Origin | None:
    try:
        split = urlsplit(url)
        host, port = split.hostname, split.port
    except ValueError:
        return None
    if split.scheme not in ("http", "https") or not host or not re.fullmatch(r"[A-Za-z0-9._:-]+", host):
        return None
    return Origin(split.scheme, host.lower(), port or (443 if split.scheme == "https" else 80))


def target_of(url: str, stated: str) -> str:
    """The absolute address of a redirect from `url`; an invalid address is returned unchanged."""
    try:
        return urljoin(url, stated)
    except ValueError:
        return stated


def why_not_followed(origin: Origin, target: str) -> str:
    """Why a redirect from an origin to an address is not followed; "" if it is."""
    there = origin_of(target)
    if there is None:
        return f"{origin.authority} redirects to {plain(target)}, which is not a web address"
    if origin.scheme == "https" and there.scheme != "https":
        return f"{origin.authority} redirects to {plain(target)}, which is not encrypted"
    if "@" in urlsplit(target).netloc:
        return f"{origin.authority} redirects to an address with a user name, {there.authority}"
    return ""


def plain(url: str) -> str:
    """A printable, short address without possible secrets: no user, no query."""
    try:
        split = urlsplit(url)
        shown = f"{split.scheme}://{split.netloc.rpartition('@')[2]}{split.path}" if split.netloc else split.path
    except ValueError:
        shown = "an address"
    return "".join(char if char.isprintable() else "?" for char in shown)[:120]


def distance(numeric: str) -> Distance:
    """How far away an IP address is, in any notation that a resolver accepts."""
    import ipaddress

    try:
        address: ipaddress.IPv4Address | ipaddress.IPv6Address = ipaddress.ip_address(numeric.partition("%")[0])
    except ValueError:
        try:
            address = ipaddress.ip_address(int(numeric, 0))
        except ValueError:
            return "machine"
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if address.is_loopback or address.is_unspecified:
        return "machine"
    if address.is_link_local or address.is_multicast:
        return "link"
    return "public" if address.is_global else "private"


def distance_by_name(host: str) -> Distance:
    """The distance of a host by its name, which is all that is known if a proxy resolves it."""
    if _NUMERIC_HOST.fullmatch(host):
        return distance(host)
    return "machine" if host == "localhost" or host.endswith(_LOCAL_NAMES) else "public"
