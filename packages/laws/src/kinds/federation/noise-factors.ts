import { sameEvent, type Adjacency, type OpenQuery, type Query } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { copyOf } from '../curator/hostile.js';
import { firstOf, unlessRefused } from '../curator/outcomes.js';
import { mechanismNamed } from '../curator/stand-ins/index.js';
import { openJoint, openSilo } from './fixture.js';
import { conversation, underFixed } from './joint.js';

const factors = [1, 2, 3.5] as const;

export const noiseFactors = defineLaw<'federation'>({
  id: 'federation/noise-factors',
  kind: 'federation',
  tier: 'exact',
  invariant: 'I-5',
  statement:
    'With noiseFactors every silo charges a stream, and adds noise to it, as it would alone with its own ' +
    'factor times the multiplier. Factors below 1, and lists that are not as long as there are silos, are ' +
    'refused.',
  power: 'a factor that is left out, or is that of another silo, in charge or noise',
  cells: underFixed,
  check: (subject, env) => firstOf(factored(subject, defined(env.cell.adjacency))),
});

function* factored(subject: Subject<'federation'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const joint = openJoint(subject, adjacency);
  const queries = conversation(joint.curator.allRecords).slice(0, 5).map(ruled);
  for (const [k, query] of queries.entries()) joint.curator.answer(k, copyOf(withFactors(query, factors)));
  for (const [silo, { ledger }] of joint.silos.entries()) {
    const alone = openSilo(subject, silo, { adjacency });
    const said = queries.map((query, k) => alone.curator.answer(k, copyOf(ownOf(query, silo))).answer);
    yield sameEvent(ledger.total(), alone.ledger.total())
      ? undefined
      : { what: `silo ${silo} charges something else than with its own factor` };
    for (const line of joint.heard) {
      if (line.silo !== silo || !(line.said.answer instanceof Float64Array)) continue;
      const own = said[line.index] as Float64Array;
      // The noise of the ruler is its scale.
      yield [...line.said.answer].every((one, j) => one === own[j])
        ? undefined
        : { what: `silo ${silo} adds other noise to query ${line.index} than with its own factor` };
    }
  }
  for (const bad of [
    [1, 2],
    [1, 0.5, 1],
    [1, Number.NaN, 1],
    [1, 1, Infinity],
  ]) {
    const { curator } = openJoint(subject, adjacency);
    curator.answer(0, copyOf(queries[0]));
    yield unlessRefused(
      `noiseFactors ${bad.join(', ')} of three silos`,
      () => curator.answer(1, copyOf(withFactors(queries[1], bad))),
      ['invalid-parameter'],
    );
  }
}

const ruled = (query: Query): Query =>
  query.ask === 'open' ? { ...query, noise: { ...query.noise, mechanism: mechanismNamed('ruler') } } : query;

const withFactors = (query: Query, given: readonly number[]): Query =>
  query.ask === 'open' ? { ...query, noiseFactors: given } : query;

/** What a silo is asked alone, with a multiplier of its own. */
function ownOf(query: Query, silo: number): Query {
  if (query.ask !== 'open') return query;
  const { normalisers = [], ...rest }: OpenQuery = query;
  const { target } = rest.noise;
  const multiplier = 'noiseMultiplier' in target ? target.noiseMultiplier : 1;
  return {
    ...rest,
    normaliser: normalisers[silo],
    noise: { ...rest.noise, target: { noiseMultiplier: multiplier * factors[silo] } },
  };
}
