import { fails, holds, type Finding } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { unlessUnsupported } from '../../law/unless-unsupported.js';
import { isExact, type MechanismSubject, neverOfScaleOne } from './call.js';
import { type AtLeast, noiseFacts, type NoiseFacts } from './lower-bounds.js';

type Target = { readonly epsilon: number; readonly delta: number } | { readonly rho: number };

const usual: readonly Target[] = [
  ...[1e-6, 0.001, 0.1, 0.5, 1, 2, 4, 8, 12].flatMap((epsilon) =>
    [0, 1e-9, 1e-6, 1e-3, 0.01, 0.1].map((delta) => ({ epsilon, delta })),
  ),
  ...[1e-12, 1e-15, 1e-18].flatMap((delta) => [0.1, 1, 4].map((epsilon) => ({ epsilon, delta }))),
  ...[20, 50].flatMap((epsilon) => [0, 1e-6, 0.01].map((delta) => ({ epsilon, delta }))),
  ...[1e-6, 1e-4, 0.01, 0.125, 0.5, 2, 8, 32, 128].map((rho) => ({ rho })),
];
/** Orders for the comparison with a target of ρ, most powerful first. */
const orders = [2, 1.5, 1.1, 4, 8];
/** Relative error of a bisection or a closed form in doubles. */
const rounding = 1e-9;

/** The largest excess over the target at a multiplier, from the noise distribution; at least 0. */
function excess(
  facts: NoiseFacts,
  multiplier: number,
  target: Target,
): AtLeast & { readonly allowed: number; readonly of: string } {
  if ('epsilon' in target)
    return {
      ...facts.delta(1 / multiplier, target.epsilon),
      allowed: target.delta,
      of: `δ(${target.epsilon})`,
    };
  const all = orders.map((order) => ({
    ...facts.renyi(1 / multiplier, order),
    allowed: order * target.rho,
    of: `the Rényi divergence of order ${order}`,
  }));
  return all.reduce((worst, one) => (one.lower - one.allowed > worst.lower - worst.allowed ? one : worst));
}

/** Multipliers with a declared distribution: integer noise declares only scale 1, which may be refused. */
function hasDistributionAt(subject: MechanismSubject): (multiplier: number) => boolean {
  if (!isExact(subject)) return () => true;
  const silent = neverOfScaleOne(subject) !== undefined;
  return (multiplier) => !silent && Number.isInteger(1 / multiplier);
}

const multiplierOf = ({ plugin, params }: MechanismSubject, target: Target): number | undefined =>
  unlessUnsupported(() => plugin.multiplierFor(params, target));

function meets(subject: MechanismSubject, targets: readonly Target[]): Finding {
  const facts = noiseFacts(subject);
  const speaksOf = hasDistributionAt(subject);
  let met = 0;
  for (const [index, target] of targets.entries()) {
    const multiplier = multiplierOf(subject, target);
    if (multiplier === undefined) continue;
    met++;
    if (!(multiplier > 0 && multiplier < Infinity))
      return fails(index + 1, {
        what: `the multiplier for ${JSON.stringify(target)} is ${multiplier}; it must be positive and finite`,
        measured: multiplier,
        input: target,
      });
    if (!speaksOf(multiplier)) continue;
    const { lower, allowed, of, witness } = excess(facts, multiplier, target);
    if (lower <= allowed * (1 + rounding)) continue;
    return fails(index + 1, {
      what:
        `with the multiplier ${multiplier} that is given for ${JSON.stringify(target)}, ` +
        `${of} is at least ${lower}; the target allows ${allowed}`,
      measured: lower,
      allowed,
      witness,
      input: target,
    });
  }
  return holds(targets.length, met === 0 ? 'all targets are Unsupported' : undefined);
}

export const calibrationLaw = defineLaw({
  id: 'mechanism/calibration',
  kind: 'mechanism',
  tier: 'exact',
  statement:
    'the multiplier for a target meets it: the divergence of the declared noise distribution under a ' +
    'shift by the sensitivity is at most the target',
  power:
    'a multiplier that is too small by 1e-3 for (ε, ' +
    'δ) down to δ = 1e-9, by 1e-1 down to δ = 1e-15, by 1e-2 for ρ',
  check: (subject) => meets(subject, usual),
});

export const pureLossDistribution = defineLaw({
  id: 'mechanism/pure',
  kind: 'mechanism',
  tier: 'exact',
  onClaim: true,
  statement:
    'for δ = 0 there is a multiplier, and no output event is more than e^ε times likelier on a neighbour',
  power: 'a multiplier that is too small by 1e-6',
  check: (subject) => {
    const targets = [0.01, 0.1, 0.5, 1, 2, 3, 4, 8].map((epsilon) => ({ epsilon, delta: 0 }));
    const refused = targets.find((target) => multiplierOf(subject, target) === undefined);
    return refused === undefined
      ? meets(subject, targets)
      : fails(1, {
          what: `pure differential privacy is claimed, and the target ${JSON.stringify(refused)} is refused`,
          input: refused,
        });
  },
});

export const zcdpLaw = defineLaw({
  id: 'mechanism/zcdp',
  kind: 'mechanism',
  tier: 'exact',
  onClaim: true,
  statement:
    'for a target of ρ there is a multiplier, and every Rényi divergence of order α is at most αρ at it',
  power: 'a multiplier that is too small by 1e-2',
  check: (subject) => {
    const targets = [1e-3, 0.01, 0.05, 0.125, 0.5, 1, 2, 8].map((rho) => ({ rho }));
    const refused = targets.find((target) => multiplierOf(subject, target) === undefined);
    return refused === undefined
      ? meets(subject, targets)
      : fails(1, {
          what:
            'concentrated differential privacy is claimed, ' +
            `and the target ${JSON.stringify(refused)} is refused`,
          input: refused,
        });
  },
});

export const leastMultiplierLaw = defineLaw({
  id: 'mechanism/least-multiplier',
  kind: 'mechanism',
  tier: 'exact',
  onClaim: true,
  statement: 'the multiplier for (ε, δ) is minimal: a multiplier 1 % smaller misses the target',
  power: 'a multiplier that is 1 % too large',
  exempt: (subject) =>
    isExact(subject) ? 'integer noise declares its distribution at scale 1 only' : undefined,
  check(subject) {
    const facts = noiseFacts(subject);
    const targets = usual.filter(
      (target) =>
        'epsilon' in target &&
        target.epsilon >= 1e-3 &&
        target.epsilon <= 8 &&
        (target.delta === 0 || target.delta >= 1e-6),
    );
    for (const [index, target] of targets.entries()) {
      const multiplier = multiplierOf(subject, target);
      if (multiplier === undefined) continue;
      const { lower, allowed, of } = excess(facts, 0.99 * multiplier, target);
      if (lower > allowed) continue;
      return fails(index + 1, {
        what:
          `the multiplier ${multiplier} for ${JSON.stringify(target)} is said to be the least, ` +
          `but no event found violates ${of} ≤ ${allowed} at 0.99 times as much`,
        measured: lower,
        allowed,
        input: target,
      });
    }
    return holds(targets.length);
  },
});
