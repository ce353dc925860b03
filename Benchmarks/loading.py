"""Times loading and the first inference: once with the model in the page cache, once without.

Each sample has a process of its own. The peers take turns, each round in another order, so that none is always the first to touch what
several of them use.
"""

import os
import statistics

STATES = {"warm": "file in the page cache", "cold": "file read from the disk"}


def measure(peers, start, arguments):
    """{peer: figures} of the peers that loaded, and {peer: message} for those that failed. `start` launches a peer's worker."""
    samples = {peer: {state: [] for state in STATES} for peer in peers}
    failures = {}
    for turn in range(arguments.loads):
        for state in STATES:
            order = [peer for peer in rotated(peers, turn) if peer not in failures and not is_slow(samples[peer][state], arguments)]
            for worker in started(order, start, failures):
                try:
                    read(worker.model) if state == "warm" else drop(worker.model)
                    worker.load()
                    samples[worker.name][state].append(worker.load_seconds + worker.first_seconds)
                except (RuntimeError, OSError) as error:
                    failures[worker.name] = str(error)
                finally:
                    worker.end()
    return {peer: figures(samples[peer]) for peer in peers if peer not in failures}, failures


def rotated(peers, turn):
    return peers[turn % len(peers) :] + peers[: turn % len(peers)]


def is_slow(seconds, arguments):
    """True for a peer whose samples would take longer than a peer may take."""
    return bool(seconds) and seconds[0] * arguments.loads > arguments.slow


def started(peers, start, failures):
    """The workers of the peers, all of them waiting for their first command, so that none is busy while another loads."""
    workers = []
    for peer in peers:
        try:
            workers.append(start(peer))
        except RuntimeError as error:
            failures[peer] = str(error)
    for worker in list(workers):
        try:
            worker.wait_until_started()
        except RuntimeError as error:
            failures[worker.name] = str(error)
            worker.end()
            workers.remove(worker)
    return workers


def figures(samples):
    """Median and smallest time of each state, in ms."""
    result = {}
    for state, seconds in samples.items():
        if seconds:
            result |= {f"{state}_ms": statistics.median(seconds) * 1e3, f"{state}_min_ms": min(seconds) * 1e3}
    return result


def files(model):
    """The files of a model, which may be a folder."""
    return [path for path in model.rglob("*") if path.is_file()] if model.is_dir() else [model]


def read(model):
    for path in files(model):
        with open(path, "rb", buffering=0) as file:
            while file.read(1 << 20):
                pass


def drop(model):
    """Removes the model's files from the page cache. Pages that a process has mapped would stay."""
    for path in files(model):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)
