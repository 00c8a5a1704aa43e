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

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule

HELP = {
    "dns": "check the connection and the spelling of HF_ENDPOINT",
    "connect": "check the connection, HTTPS_PROXY and HF_ENDPOINT",
    "proxy": "check HTTPS_PROXY and NO_PROXY",
    "tls": "check the clock of this machine; for a company's own authority set SSL_CERT_FILE",
    "redirect": "something between here and the Hub changes its answers: check HF_ENDPOINT and HTTPS_PROXY",
    "refused": "something between here and the Hub changes its answers: check HF_ENDPOINT and HTTPS_PROXY",
    "malformed": "check that HF_ENDPOINT names a server of the Hub",
}


def _headline(place: Place, facts: Facts) -> str:
    return f"no usable answer from {facts['endpoint']} about {facts['repository']}"


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [("because", str(facts["detail"]))]
    return [*rows, ("path", "there is no file or folder of this name here")] if facts["bare"] else rows


def _help(place: Place, facts: Facts) -> str:
    if facts["status"] == 429:
        return "wait some minutes; with a token the limits are higher"
    if facts["status"] == 407:
        return HELP["proxy"]
    return HELP.get(str(facts["kind"]), "try again later; https://status.huggingface.co tells about outages")


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
