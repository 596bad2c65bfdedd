# SPDX-License-Identifier: MIT
"""Stand-ins for collectors that cannot be installed here: they check a request as strictly as the real ones
are documented to, keep the records by their ids, and answer as those do."""
import json

from http_server import Reply


def _json(status, value):
    return Reply(status, json.dumps(value).encode(), {"Content-Type": "application/json"})


# What drop and end records have.
OTHERS = {"drop.cause", "lanner.drop_cause", "end.reason", "lanner.end_reason"}


class Elasticsearch:
    """The bulk API: `status_of` may give an item another status than 201, once."""

    def __init__(self, status_of=None):
        self.documents, self.status_of, self.conflicts = {}, status_of or {}, 0

    def __call__(self, request):
        assert request.path.startswith("/_bulk?filter_path="), request.path
        assert request.headers["Content-Type"] == "application/x-ndjson"
        assert request.body.endswith(b"\n")
        lines, items = [json.loads(line) for line in request.body.splitlines()], []
        assert len(lines) % 2 == 0
        for action, document in zip(lines[::2], lines[1::2]):
            [(verb, target)] = action.items()
            assert verb == "create" and set(target) == {"_index", "_id"}
            assert document["@timestamp"]
            record_id = document["event.id" if "ecs.version" in document else "evt.id"]
            assert record_id == target["_id"] or document.keys() & OTHERS
            items.append({"create": self._create(target["_id"], target["_index"], document)})
        return _json(200, {"took": 1, "errors": any(item["create"]["status"] > 299 for item in items),
                           "items": items})

    def _create(self, key, index, document):
        status = self.status_of.pop(document.get("event.sequence", document.get("evt.num")), None)
        if status:
            return {"status": status, "error": {"type": "test_exception", "reason": f"status {status}"}}
        if key in self.documents:
            self.conflicts += 1
            return {"status": 409, "error": {"type": "version_conflict_engine_exception", "reason": "there"}}
        self.documents[key] = (index, document)
        return {"status": 201}


class Loki:
    """The push API: texts of ns, lines that are texts, structured metadata of texts, few labels."""

    def __init__(self):
        self.lines = {}

    def __call__(self, request):
        assert request.path == "/loki/api/v1/push" and request.headers["Content-Type"] == "application/json"
        for stream in json.loads(request.body)["streams"]:
            assert len(stream["stream"]) <= 15
            for value in stream["values"]:
                ns, line, metadata = value
                assert isinstance(ns, str) and isinstance(line, str)
                assert all(isinstance(text, str) for text in metadata.values())
                record = json.loads(line)
                assert record["evt.id"] == metadata["id"] or metadata["type"] in ("drop", "end")
                self.lines[metadata["id"]] = (int(ns), stream["stream"], record)
        return Reply(204)


class Splunk:
    """The event collector with acknowledgement: a batch is indexed when it is asked for a second time."""

    def __init__(self, token):
        self.token, self.batches, self.asked, self.events = token, {}, {}, {}

    def __call__(self, request):
        if request.headers["Authorization"] != f"Splunk {self.token}":
            return _json(403, {"text": "Invalid token", "code": 4})
        path, _, query = request.path.partition("?")
        if not query.startswith("channel="):
            return _json(400, {"text": "Data channel is missing", "code": 10})
        if path == "/services/collector/ack":
            return _json(200, {"acks": {str(key): self._asked(key) for key in json.loads(request.body)["acks"]}})
        assert path == "/services/collector/event", path
        number = len(self.batches)
        self.batches[number] = list(self._events(request.body.decode()))
        return _json(200, {"text": "Success", "code": 0, "ackId": number})

    @staticmethod
    def _events(text):
        """Objects one after the other, without anything between."""
        decoder, at = json.JSONDecoder(), 0
        while at < len(text):
            event, at = decoder.raw_decode(text, at)
            assert isinstance(event["time"], float) and event["host"] and isinstance(event["event"], dict)
            yield event["event"]

    def _asked(self, key):
        self.asked[key] = self.asked.get(key, 0) + 1
        if self.asked[key] < 2:
            return False
        self.events.update({event["evt.id"]: event for event in self.batches[key]})
        return True


class VictoriaLogs:
    """Lines of JSON with the fields that the query names."""

    def __init__(self):
        self.lines = {}

    def __call__(self, request):
        assert request.path.startswith("/insert/jsonline?_stream_fields=service"), request.path
        assert "_time_field=_time" in request.path and "_msg_field=_msg" in request.path
        for line in request.lines:
            assert line["_time"].endswith("Z") and line["_msg"] and line["host"]
            self.lines[line["evt.id"]] = line
        return Reply(200)
