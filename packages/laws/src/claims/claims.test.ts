import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fails, type Finding, holds, skipped } from '../law/finding.js';
import type { LawEnv, Tier } from '../law/law.js';
import { checkClaims, type ClaimProblemKind } from './check-claims.js';
import { type ClaimCheck, defineClaimCheck } from './claim-check.js';
import { type ClaimsLedger, countClaims, expectedGroups, expectedIds, parseClaims } from './ledger.js';
import { runClaims } from './run-claims.js';

const claim = (row: string, rest: object) => ({
  id: `okun:${row}`,
  item: `Lemma ${row}`,
  statement: 'Something is at most something.',
  ...rest,
});
const four = {
  v: 1,
  paper: 'okun',
  title: 'On something',
  rows: 4,
  claims: [
    claim('1', { verdict: 'holds', check: 'okun/one', tier: 'exact' }),
    claim('2', {
      verdict: 'corrected',
      correction: 'At most twice something.',
      check: 'okun/two',
      tier: 'search',
      counterexample: 'okun/two-printed',
    }),
    claim('3', { verdict: 'refuted', check: 'okun/three', tier: 'exact' }),
    claim('4', { verdict: 'open', reason: 'The constant is not given.' }),
  ],
};
/** The same, with a misprint, a repeated row and a row about the paper alone. */
const seven = {
  ...four,
  rows: 7,
  claims: [
    ...four.claims,
    claim('5', {
      verdict: 'typo',
      correction: 'The index is j.',
      check: 'okun/one',
      tier: 'exact',
      paperOnly: true,
    }),
    claim('6', { verdict: 'repeats', of: 'okun:1' }),
    claim('7', {
      verdict: 'open',
      reason: 'Not tried.',
      counterexample: 'okun/two-printed',
      paperOnly: true,
    }),
  ],
};
const check = (id: string, run: ClaimCheck['run'], tier: Tier = 'exact'): ClaimCheck =>
  defineClaimCheck({ id, tier, statement: 'It is so.', run });
const wrong = fails(1, { what: '3 is not at most 2', measured: 3, allowed: 2 });
const good = [
  check('okun/one', () => holds(5)),
  check('okun/two', async () => holds(9), 'search'),
  check('okun/two-printed', () => wrong),
  check('okun/three', () => wrong),
];
const environment = (): LawEnv => ({ cell: { name: '' } }) as unknown as LawEnv;
const run = (checks: readonly ClaimCheck[], ledger: unknown = four) =>
  runClaims({ ledger: parseClaims(ledger), checks, environment });
const replaced = (id: string, finding: ClaimCheck['run']): readonly ClaimCheck[] =>
  good.map((one) => (one.id === id ? { ...one, run: finding } : one));
const edited = (index: number, change: object) => ({
  ...four,
  claims: four.claims.map((one, i) => (i === index ? { ...one, ...change } : one)),
});

describe('a claims ledger', () => {
  it('is read from a value and from text', () => {
    expect(parseClaims(JSON.stringify(four))).toEqual(parseClaims(four));
  });

  it.each([
    ['text that is not JSON', '{'],
    ['no claims', { ...four, claims: undefined }],
    ['a corrected claim without its correction', edited(1, { correction: undefined })],
    ['an empty correction', edited(1, { correction: ' ' })],
    ['a corrected claim without a counterexample', edited(1, { counterexample: undefined })],
    ['a misprint without what is meant', edited(0, { verdict: 'typo' })],
    ['a claim that repeats none', edited(0, { verdict: 'repeats' })],
    [
      'a repeated claim with a check of its own',
      { ...four, claims: [claim('1', { verdict: 'repeats', of: 'okun:2', check: 'okun/one' })] },
    ],
    ['a refuted claim without a check', edited(2, { check: undefined })],
    ['an open claim without a reason', edited(3, { reason: undefined })],
    ['a claim that holds and has a correction', edited(0, { correction: 'twice' })],
    ['an unknown verdict', edited(0, { verdict: 'probably' })],
    ['an unknown tier', edited(0, { tier: 'slow' })],
    ['an id without its paper', edited(0, { id: '1' })],
    ['an invalid number of rows', { ...four, rows: 0 }],
    ['an invalid name of a row', { ...four, rows: ['one'] }],
    ['groups of rows without a group', { ...four, rows: {} }],
    ['a group of rows without a name', { ...four, rows: { '': 4 } }],
  ])('refuses %s', (_what, ledger) => {
    expect(() => parseClaims(ledger)).toThrow(InvalidParameter);
  });

  it('expands its rows', () => {
    expect(expectedIds({ paper: 'a', rows: 3 })).toEqual(['a:1', 'a:2', 'a:3']);
    expect(expectedIds({ paper: 'a', rows: ['C9..C11', 'N1', '4a'] })).toEqual([
      'a:C9',
      'a:C10',
      'a:C11',
      'a:N1',
      'a:4a',
    ]);
    const rows = { 'claims of the paper': 2, 'claims of others': ['C9', '3'] };
    expect(expectedIds({ paper: 'a', rows })).toEqual(['a:1', 'a:2', 'a:C9', 'a:3']);
    expect(expectedGroups({ paper: 'a', rows })).toEqual([
      { of: 'claims of the paper', ids: ['a:1', 'a:2'] },
      { of: 'claims of others', ids: ['a:C9', 'a:3'] },
    ]);
    expect(() => expectedIds({ paper: 'a', rows: { one: 2, other: ['2'] } })).toThrow(
      "'a:2' is required twice",
    );
    expect(() => expectedIds({ paper: 'a', rows: ['C3..C2'] })).toThrow(InvalidParameter);
    expect(() => expectedIds({ paper: 'a', rows: ['C1..D2'] })).toThrow(InvalidParameter);
    expect(() => expectedIds({ paper: 'a', rows: ['1..99999'] })).toThrow(InvalidParameter);
  });

  it('is complete exactly when every row occurs once, and no other', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 8 }),
        fc.integer({ min: 1, max: 5 }),
        (rows, count) => {
          const claims = rows.map((row) => claim(`${row}`, { verdict: 'open', reason: 'none yet' }));
          const problems = checkClaims(parseClaims({ ...four, rows: count, claims }), { checks: [] });
          const of = (kind: ClaimProblemKind): number => problems.filter((one) => one.kind === kind).length;
          expect(of('duplicate')).toBe(rows.length - new Set(rows).size);
          expect(of('unknown-row')).toBe(rows.filter((row) => row > count).length);
          expect(of('missing')).toBe(count - new Set(rows.filter((row) => row <= count)).size);
          expect(problems).toHaveLength(of('duplicate') + of('unknown-row') + of('missing'));
        },
      ),
    );
  });

  it('accepts expected rows as an option', () => {
    const problems = checkClaims(parseClaims(four), {
      checks: good,
      expectedIds: ['okun:1', 'okun:2', 'okun:3', 'okun:5'],
    });
    expect(problems.map(({ kind, claim: id }) => [kind, id])).toEqual([
      ['unknown-row', 'okun:4'],
      ['missing', 'okun:5'],
    ]);
  });
});

describe('running a ledger', () => {
  it('agrees if checks hold or fail as required', async () => {
    const table = await run(good);
    expect(table.problems).toEqual([]);
    expect(table.rows.map(({ state }) => state)).toEqual(['agrees', 'agrees', 'agrees', 'agrees']);
    expect(table.rows[1].findings).toEqual({ 'okun/two': holds(9), 'okun/two-printed': wrong });
    expect(table.counts).toEqual({
      verdicts: { holds: 1, corrected: 1, typo: 0, refuted: 1, open: 1 },
      paperOnly: 0,
      repeats: 0,
    });
    expect(JSON.parse(JSON.stringify(table))).toEqual(table);
  });

  it('counts misprints and rows about the paper alone by themselves, and a repeated row not at all', async () => {
    const table = await run(good, seven);
    expect(table.problems).toEqual([]);
    expect(table.rows.map(({ state }) => state)).toEqual(seven.claims.map(() => 'agrees'));
    expect(table.counts).toEqual({
      verdicts: { holds: 1, corrected: 1, typo: 1, refuted: 1, open: 2 },
      paperOnly: 2,
      repeats: 1,
    });
    expect(countClaims(parseClaims(seven))).toEqual(table.counts);
  });

  it('gives a repeated row the state of the row it repeats', async () => {
    const table = await run(
      replaced('okun/one', () => wrong),
      seven,
    );
    expect(table.rows.filter(({ state }) => state === 'disagrees').map(({ claim: { id } }) => id)).toEqual([
      'okun:1',
      'okun:5',
      'okun:6',
    ]);
  });

  it.each(['okun:9', 'okun:6'])('reports a row that repeats %s, which has no verdict', async (of) => {
    const claims = seven.claims.map((one, i) => (i === 5 ? { ...one, of } : one));
    const table = await run(good, { ...seven, claims });
    expect(table.problems).toMatchObject([{ kind: 'repeats-nothing', claim: 'okun:6' }]);
    expect(table.rows[5].state).toBe('disagrees');
  });

  it('judges the counterexample of an open claim, and not its check', async () => {
    const claims = seven.claims.map((one, i) => (i === 6 ? { ...one, check: 'okun/three' } : one));
    expect((await run(good, { ...seven, claims })).problems).toEqual([]);
    const table = await run(
      replaced('okun/two-printed', () => holds(3)),
      seven,
    );
    expect(table.problems.map(({ kind, claim: id }) => [kind, id])).toEqual([
      ['no-counterexample', 'okun:2'],
      ['no-counterexample', 'okun:7'],
    ]);
  });

  it.each<[string, string, ClaimCheck['run'], ClaimProblemKind, number]>([
    ['a check that fails', 'okun/one', () => wrong, 'check-fails', 0],
    ['a check of a correction that fails', 'okun/two', () => wrong, 'check-fails', 1],
    ['a printed statement that is not wrong', 'okun/two-printed', () => holds(3), 'no-counterexample', 1],
    ['a refutation that refutes nothing', 'okun/three', () => holds(3), 'no-counterexample', 2],
    ['a check that was skipped', 'okun/one', () => skipped('no time'), 'not-run', 0],
    ['a check without samples', 'okun/one', () => holds(0), 'not-run', 0],
    [
      'a check that throws',
      'okun/one',
      () => {
        throw new Error('broken');
      },
      'check-fails',
      0,
    ],
  ])('disagrees with %s', async (_what, id, finding, kind, row) => {
    const table = await run(replaced(id, finding));
    expect(table.problems[0]).toMatchObject({ kind, check: id, claim: `okun:${row + 1}` });
    expect(table.rows.map(({ state }) => state)).toEqual(
      [0, 1, 2, 3].map((i) => (i === row ? 'disagrees' : 'agrees')),
    );
  });

  it('does not count an error as a counterexample', async () => {
    const table = await run(
      replaced('okun/three', () => {
        throw new Error('broken');
      }),
    );
    expect(table.problems).toHaveLength(1);
    expect(table.rows[2].state).toBe('disagrees');
  });

  it('reports checks that are missing, of another tier, duplicate, or unused', async () => {
    const kinds = async (checks: readonly ClaimCheck[], ledger?: unknown): Promise<readonly string[]> =>
      (await run(checks, ledger)).problems.map(({ kind }) => kind);
    expect(await kinds(good.slice(1))).toEqual(['unknown-check']);
    expect(await kinds(good, edited(0, { tier: 'search' }))).toEqual(['wrong-tier']);
    expect(await kinds([...good, good[0]])).toEqual(['duplicate-check']);
    expect(await kinds([...good, check('okun/five', () => holds(1))])).toEqual(['unused-check']);
  });

  it('accepts findings of plugin laws', async () => {
    const ledger = parseClaims(edited(0, { check: 'clip/bias', tier: 'exact' }));
    const table = (finding?: Finding) =>
      runClaims({
        ledger,
        checks: good.slice(1),
        environment,
        others: [{ id: 'clip/bias', tier: 'exact', ...(finding === undefined ? {} : { finding }) }],
      });
    expect((await table(holds(1))).problems).toEqual([]);
    expect((await table(wrong)).problems.map(({ kind }) => kind)).toEqual(['check-fails']);
    expect((await table()).problems.map(({ kind }) => kind)).toEqual(['not-run']);
  });

  it('marks claims whose checks were left out', async () => {
    const table = await runClaims({
      ledger: parseClaims(four),
      checks: good,
      environment,
      only: ({ tier }) => tier === 'exact',
    });
    expect(table.problems).toEqual([]);
    expect(table.rows.map(({ state }) => state)).toEqual(['agrees', 'not-run', 'agrees', 'agrees']);
  });

  it('gives each check its own environment', async () => {
    const asked: string[] = [];
    const ledger: ClaimsLedger = parseClaims(four);
    await runClaims({
      ledger,
      checks: good,
      environment: ({ id }) => {
        asked.push(id);
        return environment();
      },
    });
    expect(asked).toEqual(good.map(({ id }) => id));
  });
});
