import { defined } from '@lethe/numerics';
import { fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { thrownBy } from './call.js';

const badScales = [0, -1, Number.NaN, Infinity, -Infinity];
/** Scales for which samplers of integer noise are not proved, or below a declared least scale. */
const unusualScales = [2 ** -20, 0.5, 2 ** 15, 2 ** 41, 2 ** 60];
const badTargets = [
  { epsilon: -1, delta: 1e-6 },
  { epsilon: Number.NaN, delta: 1e-6 },
  { epsilon: 0, delta: 0 },
  { epsilon: 1, delta: -1e-9 },
  { epsilon: 1, delta: Number.NaN },
  { epsilon: 1, delta: 2 },
  { rho: 0 },
  { rho: -1 },
  { rho: Number.NaN },
];

export const refusalsLaw = defineLaw({
  id: 'mechanism/refusals',
  kind: 'mechanism',
  tier: 'exact',
  statement:
    'an invalid scale or target throws a typed error before anything is written; ' +
    'assertScale refuses every valid scale that addNoise refuses',
  power:
    'one of 14 invalid inputs accepted, or refused with an untyped error; ' +
    'one of 5 scales that addNoise refuses and assertScale accepts, so that a curator charges for it',
  check({ plugin, params }, env) {
    let tried = 0;
    for (const scale of unusualScales) {
      tried++;
      if (
        thrownBy(() => plugin.addNoise(params, Float64Array.of(1), scale, env.random('refused'))) ===
        undefined
      )
        continue;
      const asked =
        plugin.assertScale === undefined
          ? undefined
          : thrownBy(() => {
              defined(plugin.assertScale)(params, scale);
            });
      if (asked === undefined)
        return fails(tried, {
          what:
            `noise of scale ${scale} is refused, and assertScale, which a curator calls before it ` +
            `charges, ${plugin.assertScale === undefined ? 'is missing' : 'accepts it'}`,
          input: { scale },
        });
      if (!asked.typed)
        return fails(tried, {
          what:
            `assertScale refuses scale ${scale} with ${String(asked.error)}; ` +
            'give one of the typed errors of core, such as Unsupported',
          input: { scale },
        });
    }
    for (const scale of badScales) {
      tried++;
      const value = Float64Array.of(1, 2, 3);
      const thrown = thrownBy(() => plugin.addNoise(params, value, scale, env.random('refused')));
      if (thrown === undefined)
        return fails(tried, {
          what: `noise of scale ${scale} should be refused; the value [1, 2, 3] became [${value.join(', ')}]`,
          input: { scale },
        });
      if (!thrown.typed)
        return fails(tried, {
          what:
            `noise of scale ${scale} is refused with ${String(thrown.error)}; ` +
            'give one of the typed errors of core, such as InvalidParameter',
          input: { scale },
        });
      if (
        thrownBy(() => plugin.addNoise(params, new Float64Array(0), scale, env.random('refused'))) ===
        undefined
      )
        return fails(tried, {
          what: `noise of scale ${scale} is refused on [1, 2, 3] and not on a vector without entries`,
          input: { scale },
        });
      if (value.join() !== '1,2,3')
        return fails(tried, {
          what: `noise of scale ${scale} is refused after the value was changed to [${value.join(', ')}]`,
          input: { scale },
        });
    }
    for (const target of badTargets) {
      tried++;
      let multiplier = Number.NaN;
      const thrown = thrownBy(() => {
        multiplier = plugin.multiplierFor(params, target);
      });
      if (thrown === undefined)
        return fails(tried, {
          what:
            `no multiplier meets the target ${JSON.stringify(target, shownNumbers)}; ` +
            `the answer is ${multiplier}`,
          measured: multiplier,
          input: target,
        });
      if (!thrown.typed)
        return fails(tried, {
          what:
            `the target ${JSON.stringify(target, shownNumbers)} is refused with ${String(thrown.error)}; ` +
            'give one of the typed errors of core, such as InvalidParameter',
          input: target,
        });
    }
    return holds(tried);
  },
});

const shownNumbers = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
