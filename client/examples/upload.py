#!/usr/bin/env python3
"""Uploads entries from a generator to Waypost: as NDJSON, compressed, with constant memory. Standard library only.

    WAYPOST_URL=https://api.example.net WAYPOST_API_KEY=sk_live_... python3 upload.py sitemaps.example.com [name]

Reads URLs, one a line, from standard input; replace `read_entries` by your own source. A generator that raises publishes
nothing: the request then ends without its last chunk. A lost connection, or a server that restarts, is tried again with
the same idempotency key, so the list is published once. For that `upload` takes a function that makes the generator.
"""
import http.client
import json
import os
import random
import ssl
import sys
import time
import urllib.parse
import uuid
import zlib

RETRIES = 6
TEMPORARY = (408, 429, 500, 502, 503, 504)


class Refused(Exception):
    """The server said no. `code` is for programs, the message for people."""

    def __init__(self, status, error, retry_after=None):
        super().__init__(f"{status} {error.get('code')}: {error.get('message')}")
        self.status, self.code, self.details = status, error.get("code"), error.get("details", {})
        self.retry_after = retry_after
        # A 409 with Retry-After is the same upload, still under way. A 503 of Waypost without it is a feature that is off.
        is_ours = status == 409 or (status == 503 and self.code is not None)
        self.is_temporary = retry_after is not None if is_ours else status in TEMPORARY


def upload(base, api_key, domain, make_entries, **options):
    """Replaces a sitemap. `options`: sitemapName, expectedUrlCount, dryRun and the others of the API."""
    # Otherwise http.client refuses it later, with an error that shows the key.
    if not api_key.isprintable():
        raise ValueError("The key has a line break or another control character.")
    query = urllib.parse.urlencode({"domain": domain, **{name: _text(value) for name, value in options.items()}})
    headers = {
        "Authorization": f"Bearer {api_key}",
        "Content-Type": "application/x-ndjson",
        "Content-Encoding": "gzip",
        "Idempotency-Key": str(uuid.uuid4()),
        "User-Agent": "waypost-python-example",
    }
    for attempt in range(RETRIES + 1):
        try:
            return _send(base, f"/api/sitemap/generate?{query}", headers, make_entries())
        except Refused as refused:
            if not refused.is_temporary or attempt == RETRIES:
                raise
            wait = refused.retry_after
        except ConnectionLost:
            if attempt == RETRIES:
                raise
            wait = None
        time.sleep(wait or min(60, 2**attempt) * random.uniform(0.5, 1))


class ConnectionLost(Exception):
    """The server is out of reach, or the connection ended before the answer."""


def _send(base, path, headers, entries):
    url = urllib.parse.urlsplit(base)
    secure = url.scheme == "https"
    connection = (http.client.HTTPSConnection if secure else http.client.HTTPConnection)(url.netloc, timeout=600)
    try:
        try:
            connection.putrequest("POST", url.path.rstrip("/") + path, skip_accept_encoding=True)
            for name, value in {**headers, "Transfer-Encoding": "chunked"}.items():
                connection.putheader(name, value)
            connection.endheaders()
        except ssl.SSLCertVerificationError:
            raise  # No later attempt finds another certificate.
        except OSError as error:
            raise ConnectionLost(str(error)) from error
        # Outside of any `except`: an error of the entries is yours, and must end the request without its last chunk.
        for chunk in _gzipped(_lines(entries)):
            if not _try_to_send(connection, b"%x\r\n%b\r\n" % (len(chunk), chunk)):
                break  # The server has answered early.
        else:
            _try_to_send(connection, b"0\r\n\r\n")
        return _read_answer(connection)
    finally:
        connection.close()


def _try_to_send(connection, piece):
    try:
        connection.send(piece)
        return True
    except OSError:
        return False


def _read_answer(connection):
    try:
        response = connection.getresponse()
        body = response.read()
    except (OSError, http.client.HTTPException) as error:
        raise ConnectionLost(str(error)) from error
    retry_after = response.getheader("Retry-After", "")
    seconds = int(retry_after) if retry_after.isdigit() else None
    try:
        answer = json.loads(body)
    except ValueError:
        answer = {}
    answer = answer if isinstance(answer, dict) else {}
    if response.status == 200 and answer.get("success"):
        return answer["data"]
    error = answer.get("error")
    raise Refused(response.status, error if isinstance(error, dict) else {}, seconds)


def _lines(entries):
    for entry in entries:
        yield json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def _gzipped(chunks):
    compressor = zlib.compressobj(level=1, wbits=31)
    for chunk in chunks:
        if compressed := compressor.compress(chunk):
            yield compressed
    yield compressor.flush()


def _text(value):
    return str(value).lower() if isinstance(value, bool) else value


def read_entries():
    for line in sys.stdin:
        if line.strip():
            yield {"loc": line.strip()}


def main():
    domain, *name = sys.argv[1:]
    # Standard input can be read once, so here the list is kept for another attempt. A query can be run again instead.
    entries = list(read_entries())
    options = {"sitemapName": name[0]} if name else {}
    try:
        uploaded = upload(os.environ["WAYPOST_URL"], os.environ["WAYPOST_API_KEY"], domain, lambda: entries, **options)
    except (Refused, ConnectionLost, ssl.SSLError) as error:
        raise SystemExit(str(error)) from None
    print(f"Published {uploaded['urlCount']} URLs: {uploaded['sitemapUrl']}")


if __name__ == "__main__":
    main()
