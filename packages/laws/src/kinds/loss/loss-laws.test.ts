import { defineLinearLoss, defineLoss, type Fact, type LinearForm, type Loss } from '@lethe/core';
import { logisticSum, squaredSum } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { runLaws } from '../../law/run.js';
import { subjectsOf } from '../../law/make-subject.js';
import type { Subject } from '../../law/subject.js';
import { lossLaws } from './index.js';
import { lawsAlone } from '../../../test/effort.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

const fact = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'from-domain' });
const form: LinearForm<unknown> = {
  fused: () => squaredSum,
  value: (_params, margin, label) => (margin - label) ** 2 / 2,
  slope: (_params, margin, label) => margin - label,
};
const square = (
  change: Partial<LinearForm<unknown>> = {},
  capabilities: Loss['capabilities'] = { convex: true, smooth: true, linear: true, nullRecord: true },
) =>
  defineLinearLoss({
    name: 'square',
    summary: 'Half the squared residual.',
    source: { id: 'test', item: 'none' },
    params: z.strictObject({}),
    linear: { ...form, ...change },
    claims: ['facts-attained', 'smoothness', 'lipschitz'].map((property) => ({
      property,
      statement: 'as the law has it',
    })),
    capabilities,
    labels: { rule: 'any finite number', accepts: Number.isFinite },
    facts(_params, { featureNorm, labelBound, iterateNorm }) {
      const residual =
        featureNorm === undefined || labelBound === undefined || iterateNorm === undefined
          ? undefined
          : featureNorm * iterateNorm + labelBound;
      return {
        ...(featureNorm === undefined ? {} : { smoothness: fact(featureNorm ** 2) }),
        ...(residual === undefined
          ? {}
          : { lipschitz: fact(residual * (featureNorm ?? Number.NaN)), range: fact(residual ** 2 / 2) }),
      };
    },
  }) as unknown as Loss;
const but = (change: Partial<Loss>): Loss =>
  defineLoss({ ...(square() as Loss), ...change }) as unknown as Loss;
const factor = (name: string, by: number): Loss =>
  but({
    facts: (params, domain) => {
      const facts = square().facts(params as never, domain);
      return facts[name] === undefined ? facts : { ...facts, [name]: fact(facts[name].value * by) };
    },
  });

const failing = async (loss: Loss, only?: string): Promise<Readonly<Record<string, string>>> => {
  const reports = await runLaws(lossLaws, subjectsOf(loss)[0] as Subject<'loss'>, lawsAlone(only));
  return Object.fromEntries(
    reports.flatMap(({ law, finding }) =>
      finding.verdict === 'fails' ? [[law, finding.violation.what]] : [],
    ),
  );
};

describe('laws of losses', () => {
  it('hold for a correct loss', async () => {
    expect(await failing(square())).toEqual({});
  });
  it('hold for one that is only said to be smooth on bounded sets', async () => {
    expect(await failing(square({}, { convex: false, smooth: false, linear: true }))).toEqual({});
  });
  it.each<readonly [string, string, () => Loss, RegExp]>([
    [
      'a slope of the wrong sign far out',
      'loss/gradient',
      () => square({ slope: (_params, margin, label) => (margin > 100 ? label - margin : margin - label) }),
      /below its tangent/u,
    ],
    [
      'a gradient 1 % too long',
      'loss/gradient',
      () => square({ slope: (_params, margin, label) => 1.01 * (margin - label) }),
      /below its tangent/u,
    ],
    [
      'no convexity',
      'loss/convexity',
      () => square({ value: (_params, margin, label) => Math.abs(margin - label) ** 0.5, slope: () => 0 }),
      /halfway/u,
    ],
    [
      'a linear form of another loss',
      'loss/linear-form',
      () => but({ linear: { ...form, value: (_params, margin) => margin } }),
      /linear\.value/u,
    ],
    ['the kernel of another loss', 'loss/batch', () => square({ fused: () => logisticSum }), /by a curator/u],
    ['smoothness too small', 'loss/facts', () => factor('smoothness', 0.9), /states 'smoothness'/u],
    [
      'smoothness too small, claimed',
      'loss/smoothness',
      () => factor('smoothness', 0.9),
      /claims 'smoothness'/u,
    ],
    [
      'a Lipschitz constant too small, claimed',
      'loss/lipschitz',
      () => factor('lipschitz', 0.99),
      /claims 'lipschitz'/u,
    ],
    ['a range too small', 'loss/facts', () => factor('range', 0.999), /states 'range'/u],
    [
      'a Lipschitz constant too large to be attained',
      'loss/facts-attained',
      () => factor('lipschitz', 1.05),
      /none has more/u,
    ],
    [
      'smoothness of records without bound',
      'loss/facts',
      () => but({ facts: () => ({ smoothness: fact(1) }) }),
      /states 'smoothness'/u,
    ],
    [
      'a fact of the population',
      'loss/facts',
      () => but({ facts: () => ({ range: { value: 1e9, scope: 'population', provenance: 'from-domain' } }) }),
      /holds for 'population'/u,
    ],
    [
      'a fact that somebody declared',
      'loss/facts',
      () => but({ facts: () => ({ range: { value: 1e9, scope: 'every-record', provenance: 'declared' } }) }),
      /was 'declared'/u,
    ],
    [
      'strong convexity that one record does not have',
      'loss/facts',
      () => but({ facts: () => ({ strongConvexity: fact(1e-6) }) }),
      /states 'strongConvexity'/u,
    ],
    [
      'a slope 1 % too small of a loss that is smooth on bounded sets',
      'loss/gradient',
      () =>
        square(
          { slope: (_params, margin, label) => 0.99 * (margin - label) },
          { smooth: false, convex: false, linear: true },
        ),
      /its tangent/u,
    ],
    [
      'no constant behind a capability',
      'loss/capabilities',
      () => but({ capabilities: { convex: true, smooth: true, lipschitz: true, linear: true } }),
      /no 'lipschitz'/u,
    ],
    [
      'labels that are none',
      'loss/labels',
      () => but({ labels: { rule: 'any', accepts: () => true } }),
      /NaN/u,
    ],
    [
      'a gradient added to what was there',
      'loss/in-place',
      () =>
        but({
          gradientInto(_params, out, _at, { features }) {
            for (let j = 0; j < out.length; j++) out[j] += features[j];
          },
        }),
      /over zeros/u,
    ],
    [
      'an overflow',
      'loss/finite',
      () =>
        square({
          value: (_params, margin) => Math.exp(margin),
          slope: (_params, margin) => Math.exp(margin),
        }),
      /Infinity/u,
    ],
    [
      'a null record that speaks',
      'loss/null-record',
      () =>
        but({
          linear: null,
          capabilities: { nullRecord: true },
          gradientInto(_params, out) {
            out.fill(1);
          },
        }),
      /null record/u,
    ],
  ])('find %s', async (_name, law, make, message) => {
    expect((await failing(make(), law))[law]).toMatch(message);
  });
});
