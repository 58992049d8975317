import { fails, holds, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { thrownBy } from './call.js';

const badScales = [0, -1, Number.NaN, Infinity, -Infinity];
/** Some that samplers of whole noise are not proved for, or that are too small for a stated least scale. */
const unusualScales = [2 ** -20, 0.5, 2 ** 15, 2 ** 41, 2 ** 60];
const badTargets = [
  { epsilon: -1, delta: 1e-6 }, { epsilon: Number.NaN, delta: 1e-6 }, { epsilon: 0, delta: 0 }, { epsilon: 1, delta: -1e-9 }, { epsilon: 1, delta: Number.NaN }, { epsilon: 1, delta: 2 },
  { rho: 0 }, { rho: -1 }, { rho: Number.NaN },
];

export const refusalsLaw = defineLaw({
  id: 'mechanism/refusals', kind: 'mechanism', tier: 'exact',
  statement: 'a scale or target that is none is refused with a typed error, and nothing has been written; every scale is refused on a vector without entries too, or on none',
  power: 'one of 14 bad inputs accepted, or refused with another error; one of 10 scales refused only where there are entries, after a curator has charged for it',
  check({ plugin, params }, env) {
    let tried = 0;
    const isTaken = (value: Float64Array, scale: number): boolean => thrownBy(() => plugin.addNoise(params as never, value, scale, env.random('refused'))) === undefined;
    for (const scale of unusualScales) {
      tried++;
      if (!isTaken(Float64Array.of(1), scale) && isTaken(new Float64Array(0), scale)) return fails(tried, onlyWithEntries('[1]', scale));
    }
    for (const scale of badScales) {
      tried++;
      const value = Float64Array.of(1, 2, 3);
      const thrown = thrownBy(() => plugin.addNoise(params as never, value, scale, env.random('refused')));
      if (thrown === undefined) return fails(tried, { what: `noise of scale ${scale} should be refused; the value [1, 2, 3] became [${value.join(', ')}]`, input: { scale } });
      if (!thrown.typed) return fails(tried, { what: `noise of scale ${scale} is refused with ${String(thrown.error)}; give one of the typed errors of core, such as InvalidParameter`, input: { scale } });
      if (isTaken(new Float64Array(0), scale)) return fails(tried, onlyWithEntries('[1, 2, 3]', scale));
      if (value.join() !== '1,2,3') return fails(tried, { what: `noise of scale ${scale} is refused after the value was changed to [${value.join(', ')}]`, input: { scale } });
    }
    for (const target of badTargets) {
      tried++;
      let multiplier = Number.NaN;
      const thrown = thrownBy(() => { multiplier = plugin.multiplierFor(params as never, target); });
      if (thrown === undefined) return fails(tried, { what: `no multiplier meets the target ${JSON.stringify(target, shownNumbers)}; ${multiplier} was given for it`, measured: multiplier, input: target });
      if (!thrown.typed) return fails(tried, { what: `the target ${JSON.stringify(target, shownNumbers)} is refused with ${String(thrown.error)}; give one of the typed errors of core, such as InvalidParameter`, input: target });
    }
    return holds(tried);
  },
});

const shownNumbers = (_key: string, value: unknown): unknown => (typeof value === 'number' && !Number.isFinite(value) ? String(value) : value);

const onlyWithEntries = (value: string, scale: number): Violation =>
  ({ what: `noise of scale ${scale} is refused on ${value} and not on a vector without entries, which a curator tries before it charges`, input: { scale } });
