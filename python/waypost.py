"""Uploads lists of URLs to Waypost, which hosts them as XML sitemaps. One module, standard library only, Python 3.9 or newer.

    from waypost import Waypost
    Waypost().upload(frame, domain="sitemaps.example.com", columns={"loc": "url", "lastmod": "updated_at"})

An upload replaces a sitemap whole, or not at all. If the rows raise an exception, nothing is published. A list that many processes have
comes in parts: `session`, `part`, `commit`.
"""
import base64
import collections.abc
import email.utils
import http.client
import ipaddress
import itertools
import json
import math
import os
import random
import re
import socket
import ssl
import time
import unicodedata
import urllib.parse
import urllib.request
import uuid
import zlib
from datetime import date, datetime
from decimal import Decimal

__version__ = "0.1.0"
__all__ = ["Waypost", "WaypostError", "Refused", "ConnectionLost"]

RETRIES = 6
#: If the service asks for a longer wait, the request fails at once.
LONGEST_WAIT_S = 600
TIMEOUT_S = 600
CHUNK_BYTES = 64 * 1024
FRAME_ROWS = 10_000
TEMPORARY = (408, 429, 500, 502, 503, 504)
#: The members of an entry. docs/FORMAT.md of the service has their rules.
MEMBERS = ("loc", "lastmod", "changefreq", "priority", "images", "hreflang", "news", "video")
#: Options of an upload, and their query parameters.
OPTIONS = {
    "name": "sitemapName",
    "expect": "expectedUrlCount",
    "on_invalid": "onInvalid",
    "max_rejected": "maxRejected",
    "max_rejected_percent": "maxRejectedPercent",
    "dry_run": "dryRun",
    "force": "force",
    "if_generation": "ifGeneration",
    "size_limit": "sizeLimit",
    "placement": "placement",
    "timezone": "timezone",
    "dates": "dates",
    "base_url": "baseUrl",
}
#: Options that only loads have.
OF_LOADS = {
    "form": "form",
    "connection": "connection",
    "if_changed": "ifChanged",
    "on_missing": "onMissing",
    "allow_hosts": "allowHosts",
    "columns": "columns",
    "where": "where",
}
LOAD_OPTIONS = (*(name for name in OPTIONS if name != "dry_run"), *OF_LOADS)
#: Each run of a schedule decides anew.
SCHEDULE_OPTIONS = tuple(name for name in LOAD_OPTIONS if name not in ("name", "force", "if_generation"))
#: The options of a session, and the options of a part.
SESSION_OPTIONS = ("name", "expect", "on_invalid", "max_rejected", "max_rejected_percent", "size_limit", "placement")
PART_OPTIONS = ("timezone", "dates", "base_url")


class WaypostError(Exception):
    """An upload that did not succeed."""


class Refused(WaypostError):
    """The service said no. `code` is for programs, the message for people, `details` name the field and the line."""

    def __init__(self, status, error, retry_after=None):
        super().__init__(" ".join(str(one) for one in (status, error.get("code")) if one is not None) + f": {error.get('message')}")
        self.status, self.code, self.details = status, error.get("code"), error.get("details", {})
        self.retry_after = retry_after
        # A 409 with Retry-After is the same upload, still under way. A 503 of ours without it is a feature that is off.
        is_ours = status == 409 or (status == 503 and self.code is not None)
        self.is_temporary = retry_after is not None if is_ours else status in TEMPORARY

    def __reduce__(self):
        # By default it is made again from its message alone, which fails, and a `multiprocessing.Pool` then waits forever.
        return type(self), _arguments(self)


class ConnectionLost(WaypostError):
    """The service is out of reach, or the connection ended before the answer."""

    #: False for what no wait mends, such as a certificate that this machine does not trust.
    is_temporary = True


class Waypost:
    """One service and one key. Defaults: the variables WAYPOST_URL and WAYPOST_API_KEY."""

    def __init__(self, url=None, api_key=None, *, insecure=False, retries=RETRIES, timeout=TIMEOUT_S):
        self._url = urllib.parse.urlsplit(url or os.environ["WAYPOST_URL"])
        self._api_key = api_key or os.environ["WAYPOST_API_KEY"]
        self._retries, self._timeout = retries, timeout
        if self._url.scheme not in ("http", "https") or not self._url.hostname:
            raise ValueError("The address must begin with https:// or http://.")
        # Otherwise http.client refuses it later, with an error that shows the key.
        if not re.fullmatch(r"[\x21-\x7e]{1,512}", self._api_key):
            raise ValueError("The API key is empty or has characters that no key has, such as a space or a line break.")
        if self._url.scheme == "http" and not insecure and not _is_loopback(self._url.hostname):
            raise ValueError("The key must not travel over plain HTTP: use https://, or insecure=True on a network of yours.")

    def upload(self, rows, domain, *, columns=None, idempotency_key=None, **options):
        """Replaces a sitemap, and returns the answer of the service.

        `rows` are URLs, dicts, a DataFrame, anything with `to_batches` (Arrow) or `iter_rows` (Polars), frames that come one by one, or a function
        that returns one of these, or the `pathlib.Path` of a Parquet file, which is sent as it is. `columns` maps members of entries to your names, as in {"loc": "url"}; all other columns are ignored.
        After a lost connection, rows that can be read again are sent again under the same key, so they are published once:
        lists, frames and functions, but no generators.
        """
        query = {"domain": domain, **_members("upload", OPTIONS, options)}
        key = idempotency_key or str(uuid.uuid4())
        return self._send_rows("POST", f"/api/sitemap/generate?{urllib.parse.urlencode(query)}", key, rows, columns, options)

    def session(self, domain, *, idempotency_key=None, **options):
        """Opens an upload that comes in parts, and returns its id. Many processes may send the parts at once.

        With an `idempotency_key`, such as the id of a run, each caller gets the same session.
        """
        members = {"domain": domain, **_members("session", SESSION_OPTIONS, options, as_text=False)}
        return self._send_members("POST", "/api/upload-sessions", members, idempotency_key)["id"]

    def part(self, session, number, rows, *, columns=None, **options):
        """Sends a part, and returns its answer, which `commit` takes. `rows` and `columns` are as in `upload`, and may be empty.

        `number` is from 1 to 10,000. A part replaces the one of its number, so a task that runs twice may send it twice.
        """
        query = urllib.parse.urlencode(_members("part", PART_OPTIONS, options))
        return self._send_rows("PUT", f"{_path_of(session)}/parts/{int(number)}?{query}", None, rows, columns, options)

    def commit(self, session, parts, *, if_generation=None, force=None, dry_run=None):
        """Publishes the parts, and returns the answer of an upload. `parts` are answers of `part`; others of the session are left out.

        It may be called again: a session that is committed has the same answer.
        """
        named = [{"part": part["part"], "digest": part["digest"]} for part in parts]
        terms = {"if_generation": if_generation, "force": force, "dry_run": dry_run}
        members = {"parts": named, **_members("commit", OPTIONS, terms, as_text=False)}
        return self._send_members("POST", f"{_path_of(session)}/commit", members)

    def abort(self, session):
        """Ends a session without a commit."""
        self._send_members("DELETE", _path_of(session))

    def sessions(self, domain, *, name=None, status=None):
        """Yields the sessions of a domain, the newest first. `name`: only those of this sitemap. `status`: as in "open"."""
        return self._list(f"{self._domain_path(domain)}/upload-sessions", {"sitemap": name, "status": status})

    def get_session(self, session):
        """Returns a session: its `status`, and how many `parts`, `urlCount` and `bytes` have come."""
        return self._send_members("GET", _path_of(session))

    def parts(self, session):
        """Yields the parts of a session that has not ended, by number. `commit` takes them."""
        return self._list(f"{_path_of(session)}/parts")

    def load(self, sources, domain, *, idempotency_key=None, wait=True, poll=15, **options):
        """Lets the service fetch lists of URLs, sitemaps, sitemap indexes, or what a robots.txt names, as one upload.

        `sources` is an address, or several in their order; those in buckets, as in "s3://bucket/*.csv.gz", need a `connection`. Returns the upload when it is published, or unchanged; without `wait`, the answer
        to the request at once. Raises Refused if it is refused or held, and WaypostError if it ends otherwise. `poll`: the most seconds between looks, each of which is a request.
        `columns` are as in `upload`, or a text, as in "loc:Address,lastmod:Last Modified".
        """
        members = {"domain": domain, "sources": _listed(sources), **_load_members("load", LOAD_OPTIONS, options)}
        asked = self._send_members("POST", "/api/sitemap/load", members, idempotency_key)
        return self.wait_for_load(asked["uploadId"], poll=poll) if wait else asked

    def wait_for_load(self, upload_id, *, poll=15):
        """Returns the upload of a load when it is published, or unchanged. Raises as `load` does."""
        pause = 0.5
        while True:
            upload = self._send_members("GET", _upload_path(upload_id))
            if upload["outcome"] in ("published", "unchanged"):
                return upload
            if upload["outcome"] in ("refused", "held"):
                details = {"uploadId": upload["id"], "errors": upload["errors"], "errorCount": upload["errorCount"]}
                error = {"code": upload["code"], "message": upload["message"], "details": details}
                raise Refused(409 if upload["outcome"] == "held" else 422, error)
            if upload["outcome"] != "running":
                raise WaypostError(f"The load ended: {upload['outcome']}.")
            time.sleep(min(poll, pause))
            pause *= 1.5

    def cancel_load(self, upload_id):
        """Cancels a load. Nothing is published."""
        self._send_members("DELETE", _upload_path(upload_id))

    def schedules(self, domain):
        """Yields the schedules of a domain, by sitemap."""
        return self._list(f"{self._domain_path(domain)}/schedules")

    def schedule(self, domain, name="default"):
        """Returns the schedule of a sitemap, with its `nextRuns` and its last `runs`."""
        return self._send_members("GET", self._schedule_path(domain, name))

    def set_schedule(self, sources, domain, name="default", *, cron=None, cron_timezone=None, enabled=None, **options):
        """Says what a sitemap is loaded from by itself, and when. Replaces the whole schedule.

        `cron` has five fields, on the clock of `cron_timezone`, as in "Europe/Berlin"; without it, only a hook or `run_schedule` runs it.
        `sources` and options are those of `load`, without `name`, `force` and `if_generation`.
        """
        load = {"sources": _listed(sources), **_load_members("set_schedule", SCHEDULE_OPTIONS, options)}
        members = {"load": load, "cron": cron, **_times_of(None, cron_timezone, enabled)}
        return self._send_members("PUT", self._schedule_path(domain, name), members)

    def change_schedule(self, domain, name="default", *, cron=None, cron_timezone=None, enabled=None):
        """Changes the times of a schedule, pauses it (`enabled=False`), or lets it run again."""
        members = _times_of(cron, cron_timezone, enabled)
        return self._send_members("PATCH", self._schedule_path(domain, name), members)

    def run_schedule(self, domain, name="default"):
        """Runs a schedule now, also one that is paused."""
        return self._send_members("POST", f"{self._schedule_path(domain, name)}/run")

    def delete_schedule(self, domain, name="default"):
        """Deletes a schedule. The sitemap stays."""
        self._send_members("DELETE", self._schedule_path(domain, name))

    def make_hook(self, domain, name="default"):
        """Returns an address that runs the schedule without a key: a secret, which is not shown again. The former one ends."""
        path = self._send_members("POST", f"{self._schedule_path(domain, name)}/hook")["path"]
        return f"{self._url.scheme}://{self._url.netloc.rpartition('@')[2]}{self._url.path.rstrip('/')}{path}"

    def _schedule_path(self, domain, name):
        return f"{self._domain_path(domain)}/sitemaps/{_segment(name)}/schedule"

    def _domain_path(self, domain):
        """`domain`: a hostname, in Unicode or in A-labels, or an id."""
        if not domain.startswith("domain_"):
            wanted = unicodedata.normalize("NFC", domain.strip().rstrip(".").lower())
            names = ((one["id"], one["hostname"]) for one in self._domains_named(wanted))
            found = (one for one, hostname in names if wanted in (hostname, _unicode_of(hostname)))
            domain = next(found, None)
            if domain is None:
                raise Refused(404, {"code": "NOT_FOUND", "message": f"Your account has no domain {wanted}."})
        return f"/api/domains/{_segment(domain)}"

    def _domains_named(self, hostname):
        """Yields the domain of a hostname. Yields all domains if the service is of a former version, which refuses the parameter."""
        try:
            yield from self._list("/api/domains", {"hostname": hostname})
        except Refused as error:
            if error.code != "VALIDATION_ERROR" or error.details.get("field") != "hostname":
                raise
            yield from self._list("/api/domains")

    def _list(self, path, query=None):
        """Yields the rows of all pages."""
        wanted = {name: value for name, value in (query or {}).items() if value is not None}
        while True:
            route = f"{path}?{urllib.parse.urlencode({**wanted, 'limit': 100})}"
            answer = self._patiently(lambda: self._send("GET", route, None, {}, None), True)
            yield from answer["data"]
            if not answer["pagination"]["hasMore"]:
                return
            wanted["cursor"] = answer["pagination"]["cursor"]

    def _send_rows(self, method, path, key, rows, columns, options):
        if isinstance(rows, os.PathLike):
            return self._send_file(method, path, key, os.fspath(rows), columns)
        encode = _Encoder(columns, options.get("timezone") is not None)
        before = None

        def send():
            nonlocal before
            made = rows() if callable(rows) else rows
            # It would go on where the last attempt ended, and the rest would count as the whole. A cursor may have run its query again.
            if made is before and hasattr(made, "__next__") and not hasattr(made, "fetchone"):
                raise ValueError(_SAME_GENERATOR)
            before = made
            # Without a time in the header, the same rows are the same bytes.
            return self._send(method, path, _gzipped(encode.lines(made)), _ROWS, key)["data"]

        return self._patiently(send, _can_repeat(rows))

    def _send_file(self, method, path, key, name, columns):
        """Sends a Parquet file. The service reads the columns."""
        if not name.lower().endswith(".parquet"):
            raise ValueError(f"{name} is no Parquet file: its name must end in .parquet.")
        chosen = "" if columns is None else "&" + urllib.parse.urlencode({"columns": _columns_text(columns)})
        return self._patiently(lambda: self._send(method, path + chosen, _chunks_of(name), _PARQUET, key)["data"], True)

    def _send_members(self, method, path, members=None, key=None):
        body, headers = (None, {}) if members is None else ([json.dumps(members).encode()], _MEMBERS)
        if not key and method == "POST":  # Otherwise an attempt after a lost answer does it twice.
            key = str(uuid.uuid4())
        return self._patiently(lambda: self._send(method, path, body, headers, key)["data"], True)

    def _patiently(self, send, can_repeat):
        for attempt in range(self._retries + 1):
            try:
                return send()
            except (Refused, ConnectionLost) as error:
                if not error.is_temporary or attempt == self._retries:
                    raise
                if not can_repeat:
                    raise type(error)(*_arguments(error)) from WaypostError(
                        "A generator or a cursor cannot be read again. Pass a function that makes it, and the upload is tried again."
                    )
                asked = getattr(error, "retry_after", None)
                if asked is not None and asked > LONGEST_WAIT_S:
                    raise
            time.sleep(_pause_after(attempt, asked))

    def _send(self, method, path, chunks, headers, key):
        """Sends a request, and returns the whole answer. `chunks`: its body; None: it has none."""
        connection, origin, of_proxy = self._open()
        if chunks is not None:
            # The first row may take minutes, and the service does not wait that long for a body.
            chunks = iter(chunks)
            chunks = itertools.chain([next(chunks, b"")], chunks)
        try:
            try:
                connection.putrequest(method, f"{origin}{self._url.path.rstrip('/')}{path}", skip_accept_encoding=True)
                # Proxies answer 411 to a POST that says nothing of its body.
                empty = {"Content-Length": "0"} if method == "POST" else {}
                framing = empty if chunks is None else {"Transfer-Encoding": "chunked"}
                for name, value in {**headers, **framing, **of_proxy, **self._headers(key)}.items():
                    connection.putheader(name, value)
                connection.endheaders()
            except OSError as error:
                lost = ConnectionLost(str(error))
                lost.is_temporary = not _lasts(error)
                raise lost from error
            # Outside of any `except`: an error of the rows is the caller's, and must end the request without its last chunk.
            if chunks is not None:
                _send_chunks(connection, chunks)
            return _read_answer(connection)
        finally:
            connection.close()

    def _open(self):
        """Returns a connection to the service or to its proxy, and what a proxy needs: the origin in the request line, and headers."""
        secure, server = self._url.scheme == "https", self._url.netloc.rpartition("@")[2]
        connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        named = urllib.request.getproxies_environment().get(self._url.scheme)
        # For a proxy, this machine is its own.
        if not named or _is_loopback(self._url.hostname) or urllib.request.proxy_bypass_environment(server):
            return connect(server, timeout=self._timeout), "", {}
        proxy = urllib.parse.urlsplit(named if "://" in named else f"http://{named}")
        user = urllib.parse.unquote(proxy.netloc.rpartition("@")[0]).encode()
        headers = {"Proxy-Authorization": f"Basic {base64.b64encode(user).decode()}"} if user else {}
        connection = connect(proxy.hostname, proxy.port or 80, timeout=self._timeout)
        if not secure:
            return connection, f"http://{server}", headers
        connection.set_tunnel(server, headers=headers)
        return connection, "", {}

    def _headers(self, key):
        if key is not None and not re.fullmatch(r"[\x21-\x7e]{1,255}", str(key)):
            raise ValueError("An idempotency key has 1 to 255 letters, digits and signs of ASCII, and no spaces.")
        return {
            "Authorization": f"Bearer {self._api_key}",
            "User-Agent": f"waypost-python/{__version__}",
            **({} if key is None else {"Idempotency-Key": str(key)}),
        }


_ROWS = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
_PARQUET = {"Content-Type": "application/vnd.apache.parquet"}
_MEMBERS = {"Content-Type": "application/json"}


def _segment(name):
    """Proxies leave out an empty segment, `.` and `..`, so the request would be about something else."""
    if name in ("", ".", ".."):
        raise ValueError(f"{name!r} is no name and no id.")
    return urllib.parse.quote(name, safe="")


def _path_of(session):
    return f"/api/upload-sessions/{_segment(session)}"


def _upload_path(upload_id):
    return f"/api/uploads/{_segment(upload_id)}"


def _listed(sources):
    return [sources] if isinstance(sources, str) else list(sources)


def _load_members(method, known, options):
    if isinstance(options.get("columns"), dict):
        options = {**options, "columns": _columns_text(options["columns"])}
    return _members(method, known, options, as_text=False)


def _times_of(cron, cron_timezone, enabled):
    given = {"cron": cron, "timezone": cron_timezone, "enabled": enabled}
    return {name: value for name, value in given.items() if value is not None}


def _members(method, known, options, as_text=True):
    """Options by their names in the service."""
    unknown = set(options) - set(known)
    if unknown:
        raise TypeError(f"{method}() has no option {sorted(unknown)[0]}; it has {', '.join(known)}.")
    names = {**OPTIONS, **OF_LOADS}
    return {names[name]: _text(value) if as_text else value for name, value in options.items() if value is not None}


def _columns_text(columns):
    """The names may have commas, so each item may need quotes."""
    items = [f"{member}:{name}" for member, name in columns.items()]
    return ",".join('"' + item.replace('"', '""') + '"' if any(sign in item for sign in '",\n') else item for item in items)


class _Encoder:
    """Turns rows into lines of JSON. The same rows always make the same bytes."""

    def __init__(self, columns, has_timezone):
        if columns is not None:
            # The service would ignore other members, and their columns would be lost without a word.
            wrong = [name for name in columns if name not in MEMBERS] if hasattr(columns, "items") else [columns]
            if wrong:
                raise ValueError(f"columns maps members of an entry to your names, and {wrong[0]!r} is none of {', '.join(MEMBERS)}.")
        self._columns, self._has_timezone = columns, has_timezone
        self._json = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=self._value).encode

    def lines(self, rows):
        if hasattr(rows, "itertuples") and hasattr(rows, "columns"):
            return self._of_frame(rows)
        if hasattr(rows, "to_batches"):
            return self._of_dicts(row for batch in rows.to_batches() for row in batch.to_pylist())
        if hasattr(rows, "iter_rows"):
            return self._of_dicts(rows.iter_rows(named=True))
        if isinstance(rows, (str, bytes, dict)):
            raise TypeError("The rows must be a list, a frame, a generator, or a function that returns one.")
        return self._of_dicts(rows)

    def _of_dicts(self, rows):
        for row in rows:
            if isinstance(row, str):
                # Lines of an open file have their ends.
                yield self._json({"loc": row.rstrip("\r\n")}).encode() + b"\n"
                continue
            if _is_frame(row):  # As `pandas.read_csv(…, chunksize=…)` has them.
                yield from self.lines(row)
                continue
            if not hasattr(row, "items"):
                raise TypeError(f"A row is a {type(row).__name__}. {_ROW_KINDS}")
            # Other columns are not looked at: the service ignores them, and they may have values of any type.
            if self._columns is None:
                # Of a row without `loc`, the service sees the texts, and names the one that is a URL.
                row = {name: value for name, value in row.items() if name in MEMBERS or "loc" not in row and isinstance(value, str)}
            else:
                row = {member: row.get(name) for member, name in self._columns.items()}
            entry = {member: self._value(value) for member, value in row.items() if not _is_absent(value)}
            yield self._json(entry).encode() + b"\n"

    def _of_frame(self, frame):
        names = self._columns or {name: name for name in frame.columns if name in MEMBERS}
        missing = [name for name in ("loc",) if name not in names] or [n for n in names.values() if n not in frame.columns]
        if missing:
            raise ValueError(
                f"The frame has no column {missing[0]}. Name yours: columns={{'loc': {next(iter(frame.columns), 'url')!r}}}, "
                f"of {', '.join(map(str, list(frame.columns)[:20]))}."
            )
        twice = [name for name in names.values() if list(frame.columns).count(name) > 1]
        if twice:
            raise ValueError(f"The frame has several columns {twice[0]}.")
        for start in range(0, len(frame), FRAME_ROWS):
            part = frame.iloc[start : start + FRAME_ROWS]
            texts = [self._column(member, part[name]) for member, name in names.items()]
            lines = ("{" + ",".join(filter(None, cells)) + "}" for cells in zip(*texts))
            yield ("\n".join(lines) + "\n").encode()

    def _column(self, member, series):
        """The members of a column as JSON, with an empty text for a value that is absent."""
        key = self._json(member) + ":"
        kind = getattr(series.dtype, "kind", "O")
        # Dates of Arrow have the kind of times.
        if kind == "M" and not str(getattr(series.dtype, "pyarrow_dtype", "")).startswith("date"):
            return self._times(key, series)
        absent = series.isna().tolist()
        if kind in "iub":
            return ["" if gone else key + str(value).lower() for value, gone in zip(series.tolist(), absent)]
        encode, value_of = self._json, self._value
        return ["" if gone else key + encode(value_of(value)) for value, gone in zip(series.tolist(), absent)]

    def _times(self, key, series):
        import numpy  # A frame with times has come from pandas, which has it.

        # The type of a column of Arrow has no zone, but its times have one.
        zone = series.dt.tz
        if zone is None and not self._has_timezone:
            raise ValueError(_NAIVE)
        values = series.dt.tz_convert("UTC").dt.tz_localize(None) if zone is not None else series
        # Fractions are written only where a time has some.
        texts = numpy.datetime_as_string(values.to_numpy().astype("datetime64[us]")).tolist()
        end = '"' if zone is None else 'Z"'
        return ["" if text == "NaT" else f'{key}"{text[:-7] if text.endswith(".000000") else text}{end}' for text in texts]

    def _value(self, value):
        """A value as JSON has it. Raises for a time without a zone: nobody knows when it is."""
        if isinstance(value, (str, bool, int)) or value is None:
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        if isinstance(value, datetime):
            if value.tzinfo is None and not self._has_timezone:
                raise ValueError(_NAIVE)
            return value.isoformat()
        if isinstance(value, date):
            return value.isoformat()
        if isinstance(value, Decimal):
            return float(value) if value.is_finite() else None
        if isinstance(value, dict):
            return {name: self._value(each) for name, each in value.items() if not _is_absent(each)}
        if isinstance(value, (list, tuple)):
            return [self._value(each) for each in value]
        if type(value).__name__ == "datetime64":
            if not self._has_timezone and "T" in str(value):
                raise ValueError(_NAIVE)
            return str(value)
        if hasattr(value, "tolist"):  # An array or a scalar of numpy.
            return self._value(value.tolist())
        raise TypeError(f"A value of type {type(value).__name__} has no place in an entry.")


_SAME_GENERATOR = (
    "The connection was lost, and your function returned the same generator again, which is read in part. "
    "It must make a new one each time."
)
_ROW_KINDS = (
    "Rows are URLs, dicts, or frames that come one by one. "
    "A cursor of a database has dicts by dict(zip(names, row)), with the names in its description."
)
_NAIVE = (
    "A time has no time zone. Give the zone of its clock, as in timezone='Europe/Berlin', "
    "or make the times aware, as with tz_localize('UTC')."
)


def _is_absent(value):
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    # pandas has NaT and NA, which equal nothing.
    return type(value).__name__ in ("NaTType", "NAType") or (type(value).__name__ == "datetime64" and str(value) == "NaT")


def _pause_after(attempt, asked):
    """Seconds before the next attempt. A service may ask for the same short wait again and again, and attempts are few, so waits grow."""
    usual = min(60, 2**attempt) * random.uniform(0.5, 1)
    # A wait of 0 counts once. Otherwise all attempts would be over in a moment.
    if asked is None or (asked == 0 and attempt > 0):
        return usual
    return max(asked, min(usual, 10 * asked))


def _unicode_of(hostname):
    try:
        return ".".join(one[4:].encode().decode("punycode") if one.startswith("xn--") else one for one in hostname.split("."))
    except UnicodeError:
        return hostname


def _is_frame(rows):
    return any(hasattr(rows, name) for name in ("itertuples", "to_batches", "iter_rows"))


def _can_repeat(rows):
    """Cursors of databases can be read once, though some are no iterators."""
    is_read_once = hasattr(rows, "__next__") or hasattr(rows, "fetchone")
    is_list = isinstance(rows, collections.abc.Collection) or hasattr(rows, "__getitem__")
    return callable(rows) or _is_frame(rows) or (is_list and not is_read_once)


def _lasts(error):
    """Whether a failed connection fails until the address or the certificate is corrected. A handshake that breaks off is a lost connection."""
    if isinstance(error, ssl.SSLError):
        return not isinstance(error, (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError))
    return isinstance(error, socket.gaierror) and error.errno == socket.EAI_NONAME


def _arguments(error):
    if isinstance(error, Refused):
        told = {"code": error.code, "message": str(error).partition(": ")[2], "details": error.details}
        return error.status, told, error.retry_after
    return (str(error),)


def _is_loopback(hostname):
    if hostname == "localhost":
        return True
    try:
        return ipaddress.ip_address(hostname).is_loopback
    except ValueError:
        return False


def _gzipped(lines):
    """Compresses without a time in the header, so the same rows are the same bytes."""
    compressor = zlib.compressobj(level=1, wbits=31)
    pieces, length = [], 0
    for line in lines:
        pieces.append(compressor.compress(line))
        length += len(pieces[-1])
        if length >= CHUNK_BYTES:
            yield b"".join(pieces)
            pieces, length = [], 0
    pieces.append(compressor.flush())
    yield b"".join(pieces)


def _chunks_of(name):
    with open(name, "rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def _send_chunks(connection, chunks):
    for chunk in filter(None, chunks):
        if not _try_to_send(connection, b"%x\r\n%b\r\n" % (len(chunk), chunk)):
            return  # The service has answered early.
    _try_to_send(connection, b"0\r\n\r\n")


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
        raise ConnectionLost(str(error) or "The connection ended before the answer.") from error
    seconds = _seconds_of(response.getheader("Retry-After", ""), response.getheader("Date", ""))
    try:
        answer = json.loads(body)
    except ValueError:
        answer = {}
    answer = answer if isinstance(answer, dict) else {}
    if response.status in (200, 201, 202) and answer.get("success"):
        return answer
    error = answer.get("error")
    told = error if isinstance(error, dict) else {"message": "The server did not answer as Waypost does."}
    raise Refused(response.status, told, seconds)


def _seconds_of(retry_after, date):
    """The seconds that the server asks for. A date of Retry-After is on the server's clock, which `date` tells."""
    if re.fullmatch("[0-9]{1,9}", retry_after):
        return int(retry_after)
    try:
        wait = email.utils.parsedate_to_datetime(retry_after) - email.utils.parsedate_to_datetime(date)
    except (TypeError, ValueError):
        return None
    return max(0, math.ceil(wait.total_seconds()))


def _text(value):
    return str(value).lower() if isinstance(value, bool) else value
