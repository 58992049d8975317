"""Stays alive beside the benchmark and runs one case whenever it is told to.

Reads one JSON message a line and answers with one: {"do": "about"}; {"do": "prepare", "case", "form", "size"};
{"do": "run", "form", "repeats"} gives nanoseconds; {"do": "check", "form"} gives what the case computes.
"""
import json
import os
import sys
import time

import numpy as np

import coordinates
import files
import linear
import noise
import sparse_rows
from data import Records

clock = time.process_time_ns if os.environ.get('LETHE_BENCH_CLOCK') == 'processor' else time.perf_counter_ns


class Server:
    def __init__(self):
        self.records, self.prepared = None, {}

    def about(self, _):
        return dict(numpy=np.__version__, python='.'.join(map(str, sys.version_info[:3])))

    def prepare(self, message):
        case, form, size = message['case'], message['form'], message['size']
        if case in noise.CASES:
            self.prepared[form] = noise.CASES[case](form, size)
        elif case in sparse_rows.CASES:
            self.prepared[form] = sparse_rows.CASES[case](form, size)
        elif case in files.CASES:
            self.prepared[form] = files.CASES[case](form, size)
        elif case in coordinates.CASES:
            self.prepared[form] = coordinates.CASES[case](self.of(size['n'], size['d'], True), form, size)
        else:
            self.prepared[form] = linear.CASES[case](self.of(size['n'], size['d']), form, size)
        return {}

    def of(self, n, d, by_columns=False):
        if self.records is None or (self.records.n, self.records.d, self.records.by_columns) != (n, d, by_columns):
            self.records, self.prepared = None, {}
            self.records = Records(n, d, by_columns=by_columns)
            self.records.negative_limit = -self.records.limit
        return self.records

    def run(self, message):
        once = self.prepared[message['form']]
        start = clock()
        for _ in range(message['repeats']):
            once()
        return dict(nanoseconds=clock() - start)

    def check(self, message):
        return dict(values=np.asarray(self.prepared[message['form']]()).tolist())

    def forget(self, _):
        self.records, self.prepared = None, {}
        return {}


def main():
    server = Server()
    for line in sys.stdin:
        message = json.loads(line)
        try:
            answer = getattr(server, message['do'])(message)
        except Exception as error:  # told to the benchmark, which decides
            answer = dict(error=f'{type(error).__name__}: {error}')
        print(json.dumps(answer), flush=True)


if __name__ == '__main__':
    main()
