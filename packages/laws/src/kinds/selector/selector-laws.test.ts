import { defineSelector, exponentialEvent, InvalidParameter, type Selector } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { runLaws } from '../../law/run.js';
import { subjectsOf } from '../../law/make-subject.js';
import type { Subject } from '../../law/subject.js';
import { selectorLaws } from './index.js';
import { lawsAlone } from '../../../test/effort.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

const params = z.strictObject({});
type Own = Omit<Selector<typeof params>, 'kind'>;

function weights(utilities: Float64Array, epsilon: number): Float64Array {
  if (!(epsilon > 0 && epsilon < Infinity) || utilities.length === 0 || !utilities.every(Number.isFinite))
    throw new InvalidParameter('utilities or epsilon', { epsilon });
  const best = Math.max(...utilities);
  const each = utilities.map((u) => Math.exp(epsilon * (u / 2 - best / 2)));
  const total = each.reduce((sum, weight) => sum + weight);
  return each.map((weight) => weight / total);
}

/** The exponential mechanism, by its cumulative probabilities. */
const softmax = (bugs: Partial<Own> = {}): Selector =>
  defineSelector({
    name: 'softmax',
    summary: 'Softmax.',
    source: { id: 'test', item: 'none' },
    params,
    numerics: 'idealised',
    claims: [{ property: 'invariance', statement: '' }],
    event: (_params, epsilon, relative) => exponentialEvent(epsilon, relative),
    choose(_params, utilities, epsilon, random) {
      let rest = random.uniform();
      const at = weights(utilities, epsilon).findIndex((weight) => (rest -= weight) < 0);
      return at < 0 ? utilities.length - 1 : at;
    },
    probabilities: (_params, utilities, epsilon) => weights(utilities, epsilon),
    regretBound: (_params, candidates, epsilon) => (2 * Math.log(candidates)) / epsilon,
    ...bugs,
  }) as unknown as Selector;

const failing = async (plugin: Selector, only?: string): Promise<Readonly<Record<string, string>>> => {
  const reports = await runLaws(selectorLaws, subjectsOf(plugin)[0] as Subject<'selector'>, lawsAlone(only));
  return Object.fromEntries(
    reports.flatMap(({ law, finding }) =>
      finding.verdict === 'fails' ? [[law, finding.violation.what]] : [],
    ),
  );
};

describe('laws of selectors', () => {
  it('hold for a correct one, with and without declared probabilities', async () => {
    expect(await failing(softmax())).toEqual({});
    expect(await failing(softmax({ probabilities: () => null }))).toEqual({});
  });

  it.each<readonly [string, string, Partial<Own>, RegExp]>([
    [
      'one probability too many',
      'selector/probabilities',
      { probabilities: (_params, utilities, epsilon) => Float64Array.of(...weights(utilities, epsilon), 0) },
      /it declares/u,
    ],
    [
      'probabilities of some choices only',
      'selector/probabilities',
      {
        probabilities: (_params, utilities, epsilon) =>
          utilities.length > 3 ? null : weights(utilities, epsilon),
      },
      /none of this one/u,
    ],
    [
      'a favourite position',
      'selector/invariance',
      {
        probabilities: (_params, utilities, epsilon) =>
          weights(
            utilities.map((u, i) => (i === 0 ? u + 0.1 / epsilon : u)),
            epsilon,
          ),
      },
      /when utilities are/u,
    ],
    [
      'an ε too small by 1 %',
      'selector/event',
      { event: (_params, epsilon, relative) => exponentialEvent(0.99 * epsilon, relative) },
      /the event claims/u,
    ],
    [
      'an event for one adjacency',
      'selector/assumptions',
      { event: (_params, epsilon) => exponentialEvent(epsilon, { 'replace-one': 1 }) },
      /alone|claims nothing/u,
    ],
    [
      'another error',
      'selector/refusals',
      {
        choose: (_params, utilities, epsilon, random) => {
          if (utilities.length === 0) throw new RangeError('none');
          return softmax().choose({}, utilities, epsilon, random);
        },
      },
      /RangeError/u,
    ],
    [
      'a position beyond the last',
      'selector/coins',
      { choose: (_params, utilities) => utilities.length },
      /position/u,
    ],
    [
      'always the likeliest candidate',
      'selector/choice',
      { choose: (_params, utilities) => utilities.indexOf(Math.max(...utilities)) },
      /declared frequencies/u,
    ],
    [
      'a regret bound that is too small',
      'selector/regret',
      { regretBound: (_params, candidates, epsilon) => (0.5 * Math.log(candidates)) / epsilon },
      /regretBound is/u,
    ],
    [
      'a regret bound that is too small, without probabilities',
      'selector/regret',
      { probabilities: () => null, regretBound: (_params, _candidates, epsilon) => 0.5 / epsilon },
      /on average/u,
    ],
    [
      'choices with a larger ε than charged, without probabilities',
      'selector/audit',
      {
        probabilities: () => null,
        choose: (_params, utilities, epsilon, random) => softmax().choose({}, utilities, 4 * epsilon, random),
      },
      /differ by more/u,
    ],
    [
      'choices that change with a shift, without probabilities',
      'selector/invariance',
      {
        probabilities: () => null,
        choose: (_params, utilities, epsilon, random) =>
          utilities[0] > 500 ? 0 : softmax().choose({}, utilities, epsilon, random),
      },
      /shifted by/u,
    ],
  ])('find %s', async (_name, law, bug, message) => {
    expect((await failing(softmax(bug), law))[law]).toMatch(message);
  });
});
