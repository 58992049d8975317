import { openLog, type Store } from '@lethe/core';
import { Corrupt, defined, ownCopy, randomFromKey } from '@lethe/numerics';
import { checkLine, type Header, type Line } from './check-line.js';
import { compact } from './compact.js';
import { createCompaction } from './compaction.js';
import { version, type Kept, type Lines, type Replayed } from './keep-ledger.js';
import { storedReservation } from './reservations.js';

/**
 * The lines of a ledger in a store.
 *
 * @throws {Corrupt} when the stored bytes are not a ledger, or are damaged.
 */
export function storedLines(store: Store): Lines {
  const log = openLog(store, { magic: 'lethe-ledger' });
  let written: readonly Line[] = log.records.map(checkLine);
  const compaction = createCompaction(
    log,
    written.reduce((sum, line) => sum + (line.t === 'steps' ? line.effects.length * line.times : 0), 0),
  );
  /** Rewrites the log with equal steps stored once. A crash leaves the old log or the new one. */
  const writeCompact = (kept: Kept, counted: () => number): void => {
    const { code } = log;
    const { adjacency, key, compacted } = defined(kept.header);
    const times = (compacted?.times ?? 0) + 1;
    const lines = compact(log.readAgain().map(checkLine)).lines.map(({ line }) => line);
    const header: Header = { t: 'ledger', v: version, adjacency, key, compacted: { times, code } };
    kept.header = header;
    log.rewrite([header, ...lines.slice(1)]);
    compaction.done(counted());
  };
  return {
    replay(ledger) {
      for (const { line, position } of compact(written).lines) readLine(ledger, line, position);
      written = [];
      log.forget();
    },
    append: (line) => log.append(line),
    digestsOf: (run) => compact(log.readAgain().map(checkLine)).digestsOf(run),
    compactOn(when, kept, counted) {
      const isDue = when === 'growth' ? compaction.onGrowth(counted) : compaction.onOccasion(counted);
      if (isDue) writeCompact(kept, counted);
    },
  };
}

function readLine(ledger: Replayed, line: Line, position: number): void {
  const { kept, state } = ledger;
  const again =
    (line.t === 'ledger') !== (position === 0) ||
    (line.t === 'data' && kept.data !== undefined) ||
    (line.t === 'run' && kept.states.has(line.run));
  if (again)
    throw new Corrupt(
      `line ${position} of the ledger is out of order: the first line, and no other, ` +
        'is the header, and the data and each run begin once; restore a copy',
      { line: position },
    );
  switch (line.t) {
    case 'ledger':
      kept.header = line;
      break;
    case 'data':
      kept.data = {
        fingerprint: line.fingerprint,
        unit: line.unit ?? 'record',
        namesUnit: line.unit !== undefined,
        isBySums: line.by === 'sums',
      };
      break;
    case 'run':
      kept.states.set(line.run, ledger.newRun(line.run, randomFromKey(line.key, line.kind)));
      break;
    case 'entry': {
      const effect = ownCopy(line.effect);
      ledger.assertNext(line);
      ledger.assertOwn(line.run, [effect]);
      state(line.run).book.add(effect, line.digest);
      ledger.applied(line.run, effect);
      break;
    }
    case 'again': {
      const { book } = state(line.run);
      book.addAgain(line);
      const effect = book.effectAt(book.length - 1);
      ledger.assertOwn(line.run, [effect]);
      ledger.applied(line.run, effect);
      break;
    }
    case 'steps': {
      const effects = ownCopy(line.effects);
      ledger.assertNext(line);
      ledger.assertOwn(line.run, effects);
      state(line.run).book.addSteps({ ...line, effects });
      for (const one of state(line.run).tallies) one.applySteps(effects, line.times);
      kept.isAnswered ||= effects.some(({ charge }) => charge !== undefined);
      break;
    }
    case 'end':
      ledger.finish(
        line.run,
        line.free ?? (!kept.isAnswered && state(line.run).own.total().kind === 'core/free'),
      );
      break;
    case 'limit':
      kept.limits.push(line);
      break;
    case 'reserve':
      ledger.reserve(line.run, storedReservation(line));
      break;
    case 'uses':
      state(line.run).uses.set(line.what, line.mark);
      break;
  }
}
