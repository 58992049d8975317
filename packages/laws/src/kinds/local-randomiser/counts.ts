import type { EventKind } from '@lethe/core';
import { claimedProfile, type ClaimedProfile } from '../../divergence/claimed-profile.js';
import { fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';
import { contextOf, multisets, records } from './outputs.js';

type Of = Subject<'localRandomiser'>;
/** Probabilities of 0, 1, 2, … */
type Counts = readonly number[];

const epsilons = [0, 0.1, 0.5, 1, 2, 4];

/** How often one user sends `message`, from the multisets of one user. */
function countsOf(sent: ReadonlyMap<string, number>, message: string): Counts {
  const counts: number[] = [];
  for (const [text, probability] of sent) {
    const count = text.split(' ').filter((other) => other === message).length;
    counts[count] = (counts[count] ?? 0) + probability;
  }
  return Array.from(counts, (probability) => probability ?? 0);
}

function sumOf(a: Counts, b: Counts): Counts {
  const sum = Array.from({ length: a.length + b.length - 1 }, () => 0);
  a.forEach((p, i) => { b.forEach((q, j) => { sum[i + j]! += p * q; }); });
  return sum;
}

const times = (counts: Counts, users: number): Counts => Array.from({ length: users }).reduce<Counts>((sum) => sumOf(sum, counts), [1]);
const hockeyStick = (p: Counts, q: Counts, epsilon: number): number =>
  Array.from({ length: Math.max(p.length, q.length) }, (_, i) => Math.max(0, (p[i] ?? 0) - Math.exp(epsilon) * (q[i] ?? 0))).reduce((sum, part) => sum + part, 0);

/** The fewest honest users for whom the event stands, among powers of two, and what it then claims. */
function fewest(subject: Of, dimension: number): { readonly users: number; readonly profile: ClaimedProfile } | undefined {
  const kinds = subject.registry.filter((plugin): plugin is EventKind => plugin.kind === 'event');
  for (let users = 1; users <= 256; users *= 2) {
    const { value } = attempt(() => claimedProfile(subject.plugin.event(subject.params as never, contextOf(dimension, users)), 'replace-one', kinds)) as { readonly value?: ClaimedProfile };
    if (value !== undefined) return { users, profile: value };
  }
  return undefined;
}

/** One message value says no more than all. */
export const counts = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/counts', kind: 'localRandomiser', tier: 'exact',
  statement: 'with the fewest honest users for whom the event stands, how often one message comes up tells no more of one of them than the event claims: exactly, from all draws of one user',
  power: 'an entry that goes out as it is, a null record that is not randomised; an ε too small by what one count shows of it, with up to 256 users',
  check(subject) {
    let tried = 0;
    for (const dimension of [1, 2, 3]) {
      const found = fewest(subject, dimension);
      if (found === undefined) continue;
      const { users, profile } = found, context = contextOf(dimension, users);
      const sent = records(subject, dimension).map((record) => ({ record, draws: multisets(subject, context, [record]) }));
      const values = new Set(sent.flatMap(({ draws }) => [...draws?.keys() ?? []].flatMap((text) => text.split(' ')).filter((text) => text !== '')));
      for (const message of [...values].slice(0, 64)) for (const other of sent) {
        if (other.draws === null) continue;
        const others = times(countsOf(other.draws, message), users - 1);
        const all = sent.flatMap(({ record, draws }) => (draws === null ? [] : [{ record, law: sumOf(others, countsOf(draws, message)) }]));
        for (const here of all) for (const there of all) for (const epsilon of epsilons) {
          tried++;
          const measured = hockeyStick(here.law, there.law, epsilon), allowed = profile.delta(epsilon);
          if (!(measured <= allowed + 1e-9)) return fails(tried, { what: `how often message ${message} comes up among ${users} honest users has δ(${epsilon}) = ${measured}; the event claims ${allowed}`, measured, allowed, input: { here: here.record, there: there.record, others: other.record, context } });
        }
      }
    }
    return tried === 0 ? skipped('nothing to enumerate: it refuses up to 256 users, or draws from a density; see localRandomiser/hockey-stick') : holds(tried);
  },
});
