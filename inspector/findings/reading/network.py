"""Findings on network errors."""

from __future__ import annotations

from typing import Final

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import listed

PUBLIC_HUB: Final = "https://huggingface.co"
"""The address of the Hub unless HF_ENDPOINT names another server."""

_REMEDIES = {
    "dns": "check the connection",
    "dns-endpoint": "check the connection and the spelling of HF_ENDPOINT",
    "connect": "check the connection, HTTPS_PROXY and HF_ENDPOINT",
    "proxy": "check HTTPS_PROXY and NO_PROXY",
    "tls": "check this machine's clock; for a company certificate set SSL_CERT_FILE",
    "redirect": "a proxy may be changing the Hub's responses: check HF_ENDPOINT and HTTPS_PROXY",
    "refused": "a proxy may be changing the Hub's responses: check HF_ENDPOINT and HTTPS_PROXY",
    "malformed": "check that HF_ENDPOINT is a Hub server",
}

_ANSWERS = {
    "html": "a web page",
    "refusal": "a plain-text message",
    "json": "other JSON",
    "json-error": "an error message",
    "xml-error": "an error message",
    "text": "plain text",
    "empty": "an empty response",
}


class HubUnreachable(Finding, frozen=True, kw_only=True):
    """The Hub could not be reached or did not answer correctly.

    What it means
        No connection, an unknown host, a rejected certificate, a timeout, a server error, or a redirect that is
        not followed. Temporary errors were retried.

    Why it matters
        No file was read, so nothing was checked.

    Example
        error[R028] hub-unreachable: no usable answer from https://huggingface.co about
          org/name
          path     no local file or folder of this name
          because  huggingface.co answers 503: Service Unavailable (3 tries)
          help     try again later; see https://status.huggingface.co for outages

    What to do
        Follow the help line. In a company network, check HTTPS_PROXY and HF_ENDPOINT first.
    """

    code = "R028"

    repository: str
    bare: bool
    kind: str
    status: int | None
    host: str
    endpoint: str
    tries: int
    detail: str
    similar: tuple[str, ...] = ()
    """Local paths with similar spelling."""

    headline_text = "no usable answer from {endpoint} about {repository}"

    def rows(self) -> Rows:
        path = [("path", "no local file or folder of this name")] if self.bare else []
        similar = [("similar", listed(self.similar))] if self.similar else []
        return [*path, *similar, ("because", self.detail)]

    def remedy(self) -> Remedy:
        if self.similar:
            return Remedy(f"for the local folder write {self.similar[0]}; for the Hub check the connection")
        if self.kind == "dns" and self.endpoint.rstrip("/") != PUBLIC_HUB:
            return Remedy(_REMEDIES["dns-endpoint"])
        if self.status == 429:
            return Remedy("wait a few minutes; with a token the limits are higher")
        if self.status == 407:
            return Remedy(_REMEDIES["proxy"])
        return Remedy(_REMEDIES.get(self.kind, "try again later; see https://status.huggingface.co for outages"))


class HubAnswerOdd(Finding, frozen=True, kw_only=True):
    """The server does not answer like a Hub.

    What it means
        The server answers with a web page or other content instead of the description of a repository: a
        network's login page, or a wrong address in HF_ENDPOINT.

    Why it matters
        No file was read, so nothing was checked.

    Example
        error[R029] hub-answer-odd: https://huggingface.co sends a web page instead of
          the description of the repository
          help  check whether the network requires a login, and check HF_ENDPOINT

    What to do
        Open a page in a browser to see whether the network requires a login, and check HF_ENDPOINT.
    """

    code = "R029"

    wanted: str
    what: str
    endpoint: str

    remedy_text = "check whether the network requires a login, and check HF_ENDPOINT"

    def headline(self) -> str:
        return f"{self.endpoint} sends {_ANSWERS.get(self.what, 'something else')} instead of {self.wanted}"


class SchemeUnsupported(Finding, frozen=True, kw_only=True):
    """Addresses of this kind cannot be read.

    What it means
        Buckets, archives and servers are read through fsspec, which needs an extra package for most schemes; or
        fsspec rejects the address.

    Why it matters
        No file was read, so nothing was checked.

    Example
        error[R033] scheme-unsupported: s3://bucket/model cannot be read: s3:// is not
          supported here
          because  Install s3fs to access S3
          help     pip install 'checkpoint-inspector[s3]'

    What to do
        Install the named package, or download the files and audit the folder.
    """

    code = "R033"

    source: str
    scheme: str
    extra: str
    missing: bool
    detail: str

    headline_text = "{source} cannot be read: {scheme}:// is not supported here"
    row_texts = (("because", "{detail}"),)

    def remedy(self) -> Remedy:
        if self.extra:
            return Remedy(f"pip install 'checkpoint-inspector[{self.extra}]'")
        if not self.missing and self.scheme in ("zip", "tar", "libarchive"):
            return Remedy(f"name the folder inside and the archive: {self.scheme}://FOLDER::PATH")
        return Remedy("install the fsspec package of this scheme, or download the files first")


class PlaceUnreadable(Finding, frozen=True, kw_only=True):
    """The bucket, archive or server cannot be read.

    What it means
        The address is valid, but the location does not exist, denies access, or does not answer.

    Why it matters
        No file was read, so nothing was checked.

    Example
        error[R034] place-unreadable: s3://bucket/model cannot be read
          because  Access Denied
          help     check the credentials and the connection

    What to do
        Check the address and the credentials, which fsspec takes from the environment or from the provider's
        configuration files.
    """

    code = "R034"

    source: str
    reason: str
    detail: str

    headline_text = "{source} cannot be read"

    def rows(self) -> Rows:
        return [("because", self.detail or self.reason)]

    def remedy(self) -> Remedy:
        if self.reason == "absent":
            return Remedy("check the spelling of the address")
        return Remedy("check the credentials and the connection")
