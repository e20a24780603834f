"""One row per client, one column per thing it must do; printed as text, JSON and Markdown."""
import json
import re

COLUMNS = ["produce", "read by the others", "reads the others", "codecs", "acks", "seek offset",
           "seek time", "admin", "too large", "restart"]


class Table:
    def __init__(self, broker):
        self.broker, self.rows, self.cells = broker, {}, {}

    def add_row(self, ident, name):
        self.rows[ident] = name

    def put(self, ident, column, status, text):
        """Status is pass, fail, or - for what a client cannot do by itself; then the text says why."""
        assert column in COLUMNS and status in ("pass", "fail", "-")
        previous = self.cells.get((ident, column))
        if previous is None or previous[0] != "fail":
            self.cells[ident, column] = (status, text)

    def failures(self):
        """Pairs of a cell's name and what went wrong; a cell that nobody filled is one."""
        for ident, name in self.rows.items():
            for column in COLUMNS:
                status, text = self.cells.get((ident, column), ("fail", "was not tried"))
                if status == "fail":
                    yield f"{name}, {column}", text

    def shown(self):
        """The rows as lists of short texts, and the footnotes they refer to."""
        notes, rows = [], []
        for ident, name in self.rows.items():
            row = [name]
            for column in COLUMNS:
                status, text = self.cells.get((ident, column), ("fail", "was not tried"))
                if status == "pass":
                    row.append(text)
                    continue
                if text not in notes:
                    notes.append(text)
                row.append(f"{'FAIL' if status == 'fail' else '-'} [{notes.index(text) + 1}]")
            rows.append(row)
        return rows, notes

    def text(self):
        rows, notes = self.shown()
        rows = [["client", *COLUMNS], *rows]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                 for row in rows]
        return "\n".join([*lines, *(f"[{n}] {note}" for n, note in enumerate(notes, 1))])

    def markdown(self):
        rows, notes = self.shown()
        lines = ["| client | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
        lines += ["| " + " | ".join(row) + " |" for row in rows]
        lines += ["", *(f"{n}. {note}" for n, note in enumerate(notes, 1))] if notes else []
        return re.sub(r" \[(\d+)\]", r" (\1)", "\n".join(lines)) + "\n"

    def json(self):
        clients = [{"client": name, **{column: dict(zip(
            ("status", "text"), self.cells.get((ident, column), ("fail", "was not tried"))))
            for column in COLUMNS}} for ident, name in self.rows.items()]
        return json.dumps({"broker": self.broker, "clients": clients}, indent=2) + "\n"
