import { InvalidParameter } from '@lethe/core';
import { environmentOf, runClaims, type ClaimsLedger } from '@lethe/laws';
import { describe, expect, it, test } from 'vitest';
import ledger from '@lethe/algorithms/coordinate-descent/claims.json' with { type: 'json' };
import { defined } from '@lethe/numerics';
import { endAtFirstViolation } from '../../../laws/test/first-violation.js';
import {
  coordinateDescentChecks,
  coordinateDescentSubject as shipped,
  type CoordinateDescentSubject,
} from '../../src/index.js';

const checksOf = (subject: unknown) => coordinateDescentChecks(subject as Partial<CoordinateDescentSubject>);
const { marginals: _marginals, ...crippled } = { ...shipped.tauNice };

describe('a subject', () => {
  it.each<readonly [string, unknown, RegExp]>([
    [
      'a misspelt name',
      { lazyaverage: shipped.lazyAverage },
      /no claim is about 'lazyaverage'; 'lazyAverage' is nearest\. Names are .*sketchedDescent/,
    ],
    ['a near name', { sketchDescent: shipped.sketchedDescent }, /'sketchedDescent' is nearest/],
    ['a name of nothing', { xyzzy: () => 1 }, /no claim is about 'xyzzy'\. Names/],
    ['an inherited name', { toString: () => '' }, /is about 'toString'/],
    ['a number for a function', { lazyAverage: 5 }, /'lazyAverage' is 5; it replaces a function\. To keep/],
    ['nothing for a function', { lazyAverage: undefined }, /is undefined; it replaces a function/],
    ['a record for a function', { sketchedDescent: {} }, /is an object/],
    [
      'a function for a plugin',
      { dpSkgd: () => 1 },
      /'dpSkgd' is a function; it replaces a plugin of kind 'optimizer'/,
    ],
    ['a plugin of another kind', { tauNice: shipped.gaussian }, /it replaces a plugin of kind 'sketch'/],
    ['a reference', { tauNice: shipped.tauNice({ tau: 2 }) }, /has no function 'draw'/],
    ['a plugin without a part', { tauNice: crippled }, /has no function 'marginals'/],
    [
      'some of the rates',
      { rates: { 'dp-skgd': shipped.rates['dp-skgd'] } },
      /'rates' is an object; it replaces a record of functions, and has no function/,
    ],
    ['a function', () => 1, /record of functions by name.*got a function/],
    ['nothing', null, /got null/],
    ['a list', [shipped.lazyAverage], /got an array/],
    ['a text', 'dp-skgd', /got 'dp-skgd'/],
  ])('is refused: %s', (_name, subject, message) => {
    expect(() => checksOf(subject)).toThrow(InvalidParameter);
    expect(() => checksOf(subject)).toThrow(message);
  });

  it('is taken in part or whole, plugins also as plain records', () => {
    for (const subject of [
      {},
      shipped,
      { tauNice: { ...shipped.tauNice } },
      { rates: { ...shipped.rates }, dpSkgd: { ...shipped.dpSkgd } },
    ])
      expect(checksOf(subject)).toHaveLength(coordinateDescentChecks().length);
  });
});

describe('a function that throws', () => {
  endAtFirstViolation();
  const broken = new Error('not written yet');
  const breaks = (): never => {
    throw broken;
  };
  // Whatever is a function by itself: plugins are asked for their names while checks are made.
  const throwing = Object.fromEntries(
    Object.entries(shipped)
      .filter(([, value]) => typeof value === 'function' && !('kind' in value))
      .map(([name]) => [name, breaks]),
  );
  const runAll = async (subject: Partial<CoordinateDescentSubject>) =>
    Promise.all(
      coordinateDescentChecks(subject).map(async (check) => ({
        check,
        finding: await check.run(environmentOf({ law: check.id }, { seed: 'claims' })),
      })),
    );

  it('makes checks fail with the error as the cause, and refutes nothing that was printed', async () => {
    const found = await runAll(throwing);
    const failed = found.filter(
      ({ finding }) => finding.verdict === 'fails' && finding.violation.cause === broken,
    );
    expect(failed.length).toBeGreaterThan(25);
    expect(failed.filter(({ check }) => check.id.endsWith('-printed'))).toEqual([]);
    const skipped = found.filter(({ finding }) => finding.verdict === 'skipped');
    expect(skipped.length).toBeGreaterThan(3);
    for (const { check, finding } of skipped)
      expect(`${check.id}: ${finding.verdict === 'skipped' ? finding.why : ''}`).toMatch(
        /-printed: an error is no counterexample: it throws Error: not written yet/,
      );
  });

  test('a claim that needs a counterexample is not agreed with by an error', async () => {
    const printed = 'maranjyan/noise-printed';
    const checks = coordinateDescentChecks(throwing);
    const row = defined(
      (ledger as unknown as ClaimsLedger).claims.find(
        (claim) => claim.verdict === 'corrected' && claim.counterexample === printed,
      ),
    );
    const { rows } = await runClaims({
      ledger: { ...(ledger as unknown as ClaimsLedger), rows: 1, claims: [row] } as never,
      checks,
      only: ({ id }) => id === printed,
      environment: ({ id }) => environmentOf({ law: id }, { seed: 'claims' }),
      expectedIds: [row.id],
    });
    expect(rows).toMatchObject([{ state: 'disagrees' }]);
  });
});
