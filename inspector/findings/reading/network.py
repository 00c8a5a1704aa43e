"""No usable answer came over the network."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows

_REMEDIES = {
    "dns": "check the connection and the spelling of HF_ENDPOINT",
    "connect": "check the connection, HTTPS_PROXY and HF_ENDPOINT",
    "proxy": "check HTTPS_PROXY and NO_PROXY",
    "tls": "check the clock of this machine; for a company's own authority set SSL_CERT_FILE",
    "redirect": "something between here and the Hub changes its answers: check HF_ENDPOINT and HTTPS_PROXY",
    "refused": "something between here and the Hub changes its answers: check HF_ENDPOINT and HTTPS_PROXY",
    "malformed": "check that HF_ENDPOINT names a server of the Hub",
}

_ANSWERS = {
    "html": "a web page",
    "refusal": "a message in plain text",
    "json": "other JSON",
    "json-error": "an error message",
    "text": "a text",
    "empty": "nothing",
}


class HubUnreachable(Finding, frozen=True, kw_only=True):
    """The Hub could not be reached, or does not answer as it should.

    What it means
        No connection, no such host, a certificate that is refused, an answer that did not come in time, an
        error of the server, or a redirect that is not followed. What passes by itself was tried again.

    Why it matters
        Nothing could be read, so nothing is said about the checkpoint.

    Example
        error[R028] hub-unreachable: no usable answer from https://huggingface.co about org/name
          because  huggingface.co answers 503: Service Unavailable (3 tries)
          path     there is no file or folder of this name here
          help     try again later; https://status.huggingface.co tells about outages

    What to do
        What helps depends on the case; the finding says it. Behind a company's network, look at HTTPS_PROXY
        and HF_ENDPOINT first.
    """

    code = "R028"
    name = "hub-unreachable"

    repository: str
    bare: bool
    kind: str
    status: int | None
    host: str
    endpoint: str
    tries: int
    detail: str

    def headline(self) -> str:
        return f"no usable answer from {self.endpoint} about {self.repository}"

    def rows(self) -> Rows:
        rows = [("because", self.detail)]
        return [*rows, ("path", "there is no file or folder of this name here")] if self.bare else rows

    def remedy(self) -> Remedy:
        if self.status == 429:
            return Remedy("wait some minutes; with a token the limits are higher")
        if self.status == 407:
            return Remedy(_REMEDIES["proxy"])
        return Remedy(_REMEDIES.get(self.kind, "try again later; https://status.huggingface.co tells about outages"))


class HubAnswerOdd(Finding, frozen=True, kw_only=True):
    """The answer is not that of a Hub.

    What it means
        The server answers, and what it sends is a web page or something else in place of the description of
        a repository: the login page of a network, or an address in HF_ENDPOINT that is no Hub.

    Why it matters
        A table made from such an answer would be nonsense.

    Example
        error[R029] hub-answer-odd: https://huggingface.co sends a web page instead of the description of the repository
          help  see whether the network asks for a login, and check HF_ENDPOINT

    What to do
        Open a page in a browser to see whether the network wants a login, and check HF_ENDPOINT.
    """

    code = "R029"
    name = "hub-answer-odd"

    wanted: str
    what: str
    endpoint: str

    def headline(self) -> str:
        return f"{self.endpoint} sends {_ANSWERS.get(self.what, 'something else')} instead of {self.wanted}"

    def remedy(self) -> Remedy:
        return Remedy("see whether the network asks for a login, and check HF_ENDPOINT")


class SchemeUnsupported(Finding, frozen=True, kw_only=True):
    """Addresses of this kind cannot be read here.

    What it means
        Buckets, archives and servers are read through fsspec, which needs a package of its own for most
        schemes; or the address has a mistake that fsspec refuses.

    Why it matters
        Nothing could be read, so nothing is said about the checkpoint.

    Example
        error[R033] scheme-unsupported: s3://bucket/model cannot be read: s3:// is not set up
          because  Install s3fs to access S3
          help     pip install 'checkpoint-inspector[s3]'

    What to do
        Install the package that is named, or fetch the files and audit the folder.
    """

    code = "R033"
    name = "scheme-unsupported"

    source: str
    scheme: str
    extra: str
    missing: bool
    detail: str

    def headline(self) -> str:
        return f"{self.source} cannot be read: {self.scheme}:// is not set up"

    def rows(self) -> Rows:
        return [("because", self.detail)]

    def remedy(self) -> Remedy:
        if self.extra:
            return Remedy(f"pip install 'checkpoint-inspector[{self.extra}]'")
        return Remedy("install what fsspec needs for this scheme, or fetch the files first")


class PlaceUnreadable(Finding, frozen=True, kw_only=True):
    """The bucket, archive or server cannot be read.

    What it means
        The address is understood, and the place gives nothing: it does not exist, may not be read, or does
        not answer.

    Why it matters
        Nothing could be read, so nothing is said about the checkpoint.

    Example
        error[R034] place-unreadable: s3://bucket/model cannot be read
          because  Access Denied
          help     check the credentials of the place and the connection

    What to do
        Check the address and the credentials of the place; they are those that fsspec finds by itself, in
        the environment or in the files of the provider's tools.
    """

    code = "R034"
    name = "place-unreadable"

    source: str
    reason: str
    detail: str

    def headline(self) -> str:
        return f"{self.source} cannot be read"

    def rows(self) -> Rows:
        return [("because", self.detail or self.reason)]

    def remedy(self) -> Remedy:
        if self.reason == "absent":
            return Remedy("check the spelling of the address")
        return Remedy("check the credentials of the place and the connection")
