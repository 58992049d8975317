import { adjacencies, type Adjacency, type Batch, type Query, type Vector } from '@lethe/core';
import { defined, keyedHasher } from '@lethe/numerics';
import fc from 'fast-check';
import { dataOf, type Data } from '../../arbitraries/vectors.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { shown } from '../../law/report.js';
import type { Subject } from '../../law/subject.js';
import { badQueries } from './charges.js';
import { outcomeOf } from './outcomes.js';
import { meanOf, probesUnder, radius, type Probe } from './probes.js';
import { poisson, type Action } from './stand-ins/index.js';
import { openFixture } from './fixture.js';

const slots = 4;
const dimension = 3;

/** In place of memory that is too long for a line. */
function hashOf(bytes: Uint8Array): string {
  const hasher = keyedHasher(new TextEncoder().encode('laws/memory/last'));
  hasher.update(bytes);
  return hasher.digest().join(' ');
}

/**
 * Where an error was made: its stack up to the call of the law, of which the two compared runs have different
 * ones.
 */
function madeAt(stack: unknown): unknown {
  if (typeof stack !== 'string') return stack;
  const lines = stack.split('\n');
  const called = lines.findIndex((line) => /^ {4}at outcomeOf /u.test(line));
  return (called < 0 ? lines : lines.slice(0, called)).join('\n');
}

/**
 * What no text of an output shows: fields that are not listed, fields of arrays of numbers, the memory around
 * them, and all of an error with where it was made.
 */
function unlistedIn(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const isView = ArrayBuffer.isView(value);
  const around =
    isView && value.buffer.byteLength > value.byteLength ? [hashOf(new Uint8Array(value.buffer))] : [];
  const isHidden = value instanceof Error || isView;
  const keys = Reflect.ownKeys(value).filter(
    (key) => !(isView && typeof key === 'string' && /^\d+$/u.test(key)),
  );
  const listed = new Set<PropertyKey>(isHidden ? [] : Object.keys(value));
  return [
    ...around,
    ...keys.flatMap((key): readonly unknown[] => {
      const own: unknown =
        key === 'stack' && value instanceof Error ? madeAt(value.stack) : Reflect.get(value, key);
      return [...(listed.has(key) ? [] : [[String(key), own]]), ...unlistedIn(own)];
    }),
  ];
}

/**
 * All outputs while a probe is sent twice, with refused queries
 * between, under noise that hides every value; as comparable lines.
 */
function repliesOf(
  subject: Subject<'curator'>,
  probe: Probe,
  adjacency: Adjacency,
  rows: Data,
): readonly string[] {
  const lines: string[] = [];
  const say = (what: string, value: unknown): void => {
    lines.push(`${what}: ${shown(value, 4000)}`);
  };
  const noises: Action[] = [];
  const opened = outcomeOf(() =>
    openFixture(subject, {
      ...probe.fixture,
      rows,
      adjacency,
      dimension,
      labels: rows.map((row) => (row === null ? 0 : (probe.label?.(row) ?? 0))),
      ...(adjacency === 'add-remove' ? { publicSlots: slots } : {}),
      observe: (action) => {
        if (action.did === 'noise') noises.push(action);
      },
    }),
  );
  if ('refused' in opened) return [`opening: ${opened.message}`];
  const fixture = opened.value;
  const { curator, allRecords } = fixture;
  const spy = {
    ...fixture,
    ask: <A>(query: Parameters<typeof fixture.ask>[0]): A => {
      const outcome = outcomeOf(() => curator.answer(curator.recorded(), query));
      if ('refused' in outcome) {
        say('refused', [outcome.message, unlistedIn(outcome.error)]);
        throw outcome.error;
      }
      const { answer, digest, ...beside } = outcome.value;
      say(`answer to ${query.ask}`, answer);
      say('unlisted', unlistedIn(outcome.value));
      say('length of its digest', digest.length);
      say('beside it', beside);
      return answer as A;
    },
  };
  say('facts', curator.facts);
  say('everyone', allRecords);
  for (let round = 0; round < 2; round++) {
    outcomeOf(() => probe.release(spy, 'flood'));
    for (const [what, query] of badQueries(allRecords)) {
      const outcome = outcomeOf(() => curator.answer(curator.recorded(), query as Query));
      say(
        `a query with ${what}`,
        'refused' in outcome ? [outcome.message, unlistedIn(outcome.error)] : outcome.value.answer,
      );
    }
    say('recorded', curator.recorded());
    say('spent', curator.spent());
    say('total', fixture.ledger.total());
  }
  outcomeOf(() =>
    spy.ask<Vector>(
      meanOf(spy.ask<Batch>({ ask: 'draw', sampler: poisson(0.5), from: allRecords }), 'flood', {
        at: new Float64Array(dimension),
      }),
    ),
  );
  say('spent', curator.spent());
  say('noise', noises);
  return lines;
}

export const onlyMechanismsTell = defineLaw({
  id: 'curator/only-mechanisms-tell',
  kind: 'curator',
  tier: 'search',
  invariant: 'I-1',
  statement:
    'Information about records leaves the curator through mechanisms only: ' +
    'if mechanisms hide their input completely, then answers, tokens, errors, counts, charges, ' +
    'scales and facts are equal for all data with the same public facts.',
  power:
    'a field, message, cause, stack, sign of zero, count, scale or unprotected entry that depends on the ' +
    'records, in 12 data sets per release',
  cells: () =>
    adjacencies.flatMap((adjacency) =>
      probesUnder(adjacency).map(({ name }) => ({
        name: `${name}, ${adjacency}`,
        adjacency,
        values: { probe: name },
      })),
    ),
  check(subject, env) {
    const adjacency = defined(env.cell.adjacency);
    const probe = defined(
      probesUnder(adjacency).find(({ name }) => name === defined(env.cell.values)['probe']),
    );
    const plain = repliesOf(
      subject,
      probe,
      adjacency,
      Array.from({ length: slots }, () => [0, 0, 0]),
    );
    const data = dataOf({
      dimension,
      rows: adjacency === 'add-remove' ? slots + 2 : slots,
      fewest: adjacency === 'add-remove' ? 1 : slots,
      scale: radius,
      nulls: true,
    });
    const examples: Data[] = [
      Array.from({ length: slots }, () => [1e200, -1e200, 1e200]),
      Array.from({ length: slots }, (_, i) => (i === 0 ? [1e12, 0, 0] : null)),
      Array.from({ length: slots }, (_, i) => [1.79e308, i, 0]),
    ];
    return env.forAll(
      fc.oneof(data),
      (rows): Violation | undefined => {
        const lines = repliesOf(subject, probe, adjacency, rows);
        const at = Array.from({ length: Math.max(lines.length, plain.length) }, (_, i) => i).find(
          (i) => lines[i] !== plain[i],
        );
        return at === undefined
          ? undefined
          : {
              what:
                `an output of "${probe.name}" depends on the records, ` +
                'although the noise hides every value',
              witness: `${lines[at] ?? 'nothing'}, and with records of zeros ${plain[at] ?? 'nothing'}`,
            };
      },
      { runs: 9, examples },
    );
  },
});
