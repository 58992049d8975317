import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import { both, differs, exceeds, tried } from '../../common/compare.js';
import { expectation, discreteDistributions } from './discrete-distributions.js';
import type { OracleSubject } from './subject.js';

const ks = Array.from({ length: 4801 }, (_, i) => 2 + i / 100);

/** Row C34. */
export const limitConstant = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/limit-constant',
    tier: 'search',
    statement:
      '(1 + 2^(2k+1))^(1/k) is at most √33 ≤ 16 for k ≥ 2 and decreases to 4; a grid with spacing r/β ' +
      'adds at most 2^(2k+1) r^(2k); and the subexponential norm of a distribution is the smallest s ' +
      'with tail below 2e^(−t/s)',
    power:
      'a relative error of 1e-12 at k from 2 to 50 in steps of 1/100; ' +
      'an error of 1e-9 in the norm, over 200 distributions',
    run: (env) =>
      both(
        () =>
          tried(
            ks,
            (k) =>
              exceeds({
                what: `the constant at k = ${k}`,
                got: subject.limitConstant(k),
                most: k === 2 ? 16 : subject.limitConstant(2),
              }) ?? exceeds({ what: 'four', got: 4, most: subject.limitConstant(k) }),
          ),
        () =>
          tried([2], (k) =>
            differs({ what: 'the constant at k = 2', got: subject.limitConstant(k), want: Math.sqrt(33) }),
          ),
        () =>
          tried(ks, (k) =>
            exceeds({
              what: `what a grid adds at k = ${k}`,
              got: subject.gridTerm(k, subject.gridShare.corrected()),
              most: subject.limitConstant(k) ** k - 1,
              slack: 1e-9,
            }),
          ),
        () =>
          env.forAll(
            discreteDistributions({ dimensions: 1 }).filter(({ points }) => points.some(([x]) => x !== 0)),
            (distribution) => {
              const scale = subject.subexponentialScale({
                values: distribution.points.map(([x]) => x),
                probabilities: distribution.probabilities,
              });
              const worst = (s: number): number =>
                Math.max(
                  ...distribution.points.map(
                    ([x]) =>
                      expectation(distribution, ([y]) => Number(Math.abs(y) >= Math.abs(x))) /
                      (2 * Math.exp(-Math.abs(x) / s)),
                  ),
                );
              return (
                exceeds({ what: 'the tail over 2e^(−t/s)', got: worst(scale), most: 1, slack: 1e-9 }) ??
                exceeds({ what: 'one, at a smaller norm,', got: 1, most: worst(scale * (1 - 1e-9)) })
              );
            },
            { runs: 200 },
          ),
      ),
  });

/** Row C34, as printed. */
export const limitConstantPrinted = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/limit-constant-printed',
    tier: 'exact',
    statement: 'as printed: a grid with spacing 2r/β adds at most 2^(2k+1) r^(2k)',
    run: () =>
      tried([2, 3, 8], (k) =>
        exceeds({
          what: `what a grid adds at k = ${k}, in units of r^(2k)`,
          got: subject.gridTerm(k, subject.gridShare.printed()),
          most: 2 ** (2 * k + 1),
        }),
      ),
  });
