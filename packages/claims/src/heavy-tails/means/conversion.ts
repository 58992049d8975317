import type { PrivacyEvent } from '@lethe/core';
import { defineClaimCheck, gaussianCurve, renyiOf, type ClaimCheck } from '@lethe/laws';
import fc from 'fast-check';
import { differs, exceeds, firstOf, tried } from '../../common/compare.js';
import { gaussians } from '../../common/gaussians.js';
import { tenTo } from '../../common/inputs.js';
import type { OracleSubject } from './subject.js';

/** Row C4. */
export const gaussianDivergence = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/gaussian-divergence',
    tier: 'search',
    statement:
      'the Rényi divergence of order α between Gaussian distributions with shift Δ is αΔ²/(2σ²), so ' +
      'noise of variance Δ²/(2ρ) costs exactly ρ; the shipped mechanism uses this noise for a target of ρ',
    power:
      'a relative error of 1e-8 at orders 1.1, 2, 8 and 32, for 60 pairs with deviations from 0.1 to 10 ' +
      'and shifts up to three of them; 1e-12 of the noise',
    run: (env) =>
      env.forAll(
        fc.record({
          alpha: fc.constantFrom(1.1, 2, 8, 32),
          ratio: tenTo(-1, 0).map((r) => 3 * r),
          deviation: tenTo(-1, 1),
        }),
        ({ alpha, ratio, deviation }) => {
          const shift = ratio * deviation;
          const variance = deviation ** 2;
          const rho = ratio ** 2 / 2;
          return firstOf([
            differs({
              what: `the divergence of order ${alpha}`,
              got: subject.shiftedRenyi({ alpha, shift, variance }),
              want: renyiOf(gaussians(alpha, shift, deviation), alpha).estimate,
              tolerance: 1e-8,
            }),
            differs({
              what: 'the noise for ρ, over the sensitivity',
              got: subject.gaussian.multiplierFor({}, { rho }),
              want: 1 / ratio,
            }),
          ]);
        },
        { runs: 60 },
      ),
  });

const grid = Array.from({ length: 17 }, (_, i) => 10 ** (-3 + i / 4)).flatMap((rho) =>
  [1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.03, 0.1].map((delta) => ({ rho, delta })),
);

/** Row C5. */
export const conversion = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/conversion',
    tier: 'exact',
    statement:
      'at ρ + 2√(ρ ln(1/δ)) the exact δ of a Gaussian release of ρ is at most δ, and the shipped ' +
      'accountant, from ρ alone, returns at least the exact curve and at most this formula',
    power:
      'the formula without its 2; every ε below the exact one: ' +
      '17 values of ρ from 1e-3 to 10 with eight of δ from 1e-12 to 0.1',
    run: () =>
      tried(grid, ({ rho, delta }) => {
        const epsilon = subject.concentratedEpsilon({ rho, delta });
        const mu = Math.sqrt(2 * rho);
        const stated = subject.zcdp.epsilon({ kind: 'core/zcdp', v: 1, rho } as PrivacyEvent, {
          adjacency: 'replace-one',
          delta,
        }).upper;
        return firstOf([
          exceeds({ what: 'the exact δ', got: gaussianCurve(mu, epsilon).lower, most: delta }),
          exceeds({
            what: 'the exact δ at what the accountant states',
            got: gaussianCurve(mu, stated).lower,
            most: delta,
          }),
          exceeds({ what: 'the ε that the accountant states', got: stated, most: epsilon }),
        ]);
      }),
  });

const deltas = [1e-12, 1e-9, 1e-6, 1e-3, 0.01, 0.1, 0.3];
const fractions = Array.from({ length: 200 }, (_, i) => (i + 1) / 100);

/** Row C6. */
export const shortConversion = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/short-conversion',
    tier: 'exact',
    statement:
      'for ε up to √ln(1/δ), ε²/2 + √2 ε √ln(1/δ) is at most 2ε√ln(1/δ), in fact at most 1.915 ' +
      'ε√ln(1/δ); it holds up to (4 − 2√2)√ln(1/δ) and fails immediately above',
    power:
      'any constant below 1.914 in place of 2; the edge of the domain to 1e-9: 200 values of ε up to ' +
      'twice the domain at seven of δ',
    run: () =>
      tried(
        deltas.flatMap((delta) => fractions.map((fraction) => ({ fraction, delta }))),
        ({ fraction, delta }) => {
          const root = Math.sqrt(-Math.log(delta));
          const at = (epsilon: number) => ({
            whole: subject.concentratedEpsilon({ rho: epsilon ** 2 / 2, delta }),
            short: subject.shortEpsilon({ epsilon, delta }),
          });
          const epsilon = fraction * root;
          const edge = (4 - 2 * Math.SQRT2) * root;
          const { whole, short } = at(epsilon);
          const said = subject.shortEpsilonHolds({ epsilon, delta });
          if (said && fraction > 1 + 1e-12)
            return {
              what: `at ε = ${fraction}√ln(1/δ) the corollary is said to hold; it is stated up to 1`,
              measured: fraction,
              allowed: 1,
            };
          return firstOf([
            fraction <= 1 || said
              ? exceeds({ what: 'the ε of the proposition', got: whole, most: short })
              : undefined,
            fraction <= 1
              ? exceeds({ what: 'the ε of the proposition', got: whole, most: 1.915 * epsilon * root })
              : undefined,
            fraction <= 1 && epsilon < root && !said
              ? { what: `at ε = ${fraction}√ln(1/δ) the corollary is said to fail` }
              : undefined,
            exceeds({
              what: 'the ε of the proposition just inside the edge',
              got: at(edge * (1 - 1e-9)).whole,
              most: at(edge * (1 - 1e-9)).short,
            }),
            exceeds({
              what: 'the ε of the corollary just beyond the edge',
              got: at(edge * (1 + 1e-9)).short,
              most: at(edge * (1 + 1e-9)).whole,
            }),
          ]);
        },
      ),
  });
