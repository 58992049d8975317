import { InvalidParameter, parseOrThrow } from '@lethe/core';
import * as z from 'zod';

const text = z.string().trim().min(1);
const key = z.string().regex(/^[a-z][a-z0-9-]*$/u, 'a paper is named in lower case, such as "maranjyan"');
const tier = z.enum(['exact', 'search', 'statistical', 'nightly']);

const entry = {
  /** The paper and the row of the table of its claims: `maranjyan:17`. */
  id: z
    .string()
    .regex(/^[a-z][a-z0-9-]*:[A-Za-z0-9][A-Za-z0-9.-]*$/u, 'an id is "paper:row", such as "maranjyan:17"'),
  /** Location in the paper: `Lemma E.1`. */
  item: text,
  /** The paper's statement, as printed. */
  statement: text,
};
/** Its check calls no shipped function: it decides what the paper says, and nothing about the code. */
const paperOnly = z.literal(true).optional();
const judged = { check: text, tier, paperOnly, note: text.optional() };

/** One claim of a paper and its verdict. */
export const claimSchema = z.discriminatedUnion('verdict', [
  /** The check holds the statement as printed. */
  z.strictObject({ ...entry, verdict: z.literal('holds'), ...judged }),
  /** The check holds the correction; the counterexample tests the statement as printed, and must fail. */
  z.strictObject({
    ...entry,
    verdict: z.literal('corrected'),
    correction: text,
    ...judged,
    counterexample: text,
  }),
  /** A misprint, or a wrong name, that no number refutes; the check holds the statement as it is meant. */
  z.strictObject({ ...entry, verdict: z.literal('typo'), correction: text, ...judged }),
  /** The check tries the statement as printed, and must fail: its violation is the counterexample. */
  z.strictObject({ ...entry, verdict: z.literal('refuted'), ...judged }),
  /**
   * Undecided, with the reason. A check that investigates it may be named, and a counterexample to what is
   * printed, which must fail.
   */
  z.strictObject({
    ...entry,
    verdict: z.literal('open'),
    reason: text,
    check: text.optional(),
    tier: tier.optional(),
    counterexample: text.optional(),
    paperOnly,
  }),
  /** The claim of another row in other words: not counted. */
  z.strictObject({
    ...entry,
    verdict: z.literal('repeats'),
    /** Id of that row. */
    of: text,
    check: z.never().optional(),
    note: text.optional(),
  }),
]);
/** Parsed form of {@link claimSchema}. */
export type PaperClaim = z.output<typeof claimSchema>;
/** Verdict of a claim. */
export type ClaimVerdict = PaperClaim['verdict'];

/** How many claims have each verdict. Rows that repeat another are in `repeats` alone. */
export interface ClaimCounts {
  readonly verdicts: Readonly<Record<Exclude<ClaimVerdict, 'repeats'>, number>>;
  /** Among them, those whose check calls no shipped function. */
  readonly paperOnly: number;
  readonly repeats: number;
}

/** Counts the claims of a ledger. */
export function countClaims({ claims }: Pick<ClaimsLedger, 'claims'>): ClaimCounts {
  const verdicts = { holds: 0, corrected: 0, typo: 0, refuted: 0, open: 0 };
  let [paperOnlyRows, repeats] = [0, 0];
  for (const claim of claims) {
    if (claim.verdict === 'repeats') {
      repeats++;
      continue;
    }
    verdicts[claim.verdict]++;
    if (claim.paperOnly === true) paperOnlyRows++;
  }
  return { verdicts, paperOnly: paperOnlyRows, repeats };
}

const rowSchema = z
  .string()
  .regex(/^[A-Za-z]*\d+[A-Za-z0-9.-]*(?:\.\.[A-Za-z]*\d+)?$/u, 'a row is such as "17", "C17" or "C1..C73"');

const rowsSchema = z.union([z.int().positive().max(10_000), z.array(rowSchema).min(1)]);

/** The claims of one paper: its required rows, and the verdict of each. */
export const claimsLedgerSchema = z.strictObject({
  v: z.literal(1),
  /** Key of the paper; the ids of its claims begin with it. */
  paper: key,
  title: text,
  /**
   * The required rows: a number `n` for `1` to `n`, or names and ranges, `["C1..C73", "N1"]`; or several
   * such by where the claims come from, `{ "claims of the paper": 60, "claims of others": ["C1..C9"] }`.
   */
  rows: z.union([
    rowsSchema,
    z
      .record(text, rowsSchema)
      .refine(
        (groups) => Object.keys(groups).length > 0,
        'name a group of rows, such as "claims of the paper"',
      ),
  ]),
  claims: z.array(claimSchema),
});
/** Parsed form of {@link claimsLedgerSchema}. */
export type ClaimsLedger = z.output<typeof claimsLedgerSchema>;

/**
 * Reads a claims ledger.
 *
 * @param json - The file's value, or its text.
 * @throws {InvalidParameter} with the path of the error: an unknown field, a `corrected` claim without its
 * correction or its counterexample, a `typo` without its correction, an
 * `open` one without a reason, any other without a check.
 */
export function parseClaims(json: unknown): ClaimsLedger {
  return parseOrThrow(
    claimsLedgerSchema,
    typeof json === 'string' ? parsedText(json) : json,
    'the claims ledger',
  );
}

function parsedText(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new InvalidParameter(
      `the claims ledger is not JSON: ${error instanceof Error ? error.message : String(error)}`,
      {},
      { cause: error },
    );
  }
}

/**
 * The ids of all claims that a ledger must have.
 *
 * @throws {InvalidParameter} when a range runs backwards or over different letters, or a row is in two
 * groups.
 */
export function expectedIds(ledger: Pick<ClaimsLedger, 'paper' | 'rows'>): readonly string[] {
  const ids = expectedGroups(ledger).flatMap((group) => group.ids);
  const seen = new Set<string>();
  const twice = ids.find((id) => seen.size === seen.add(id).size);
  if (twice !== undefined)
    throw new InvalidParameter(`the row '${twice}' is required twice; name it in one group of 'rows'`, {
      row: twice,
    });
  return ids;
}

/** Claims that a ledger must have, by where they come from; `of` is empty where its rows are in no groups. */
export interface ClaimGroup {
  readonly of: string;
  readonly ids: readonly string[];
}

/**
 * The ids of all claims that a ledger must have, in the groups of its `rows`.
 *
 * @throws {InvalidParameter} when a range runs backwards or over different letters.
 */
export function expectedGroups({ paper, rows }: Pick<ClaimsLedger, 'paper' | 'rows'>): readonly ClaimGroup[] {
  const groups = typeof rows === 'number' || Array.isArray(rows) ? { '': rows } : rows;
  return Object.entries(groups).map(([of, group]) => ({
    of,
    ids: (typeof group === 'number' ? rangeOf('', 1, group) : group.flatMap(expanded)).map(
      (name) => `${paper}:${name}`,
    ),
  }));
}

function expanded(row: string): readonly string[] {
  if (!row.includes('..')) return [row];
  const ends = /^([A-Za-z]*)(\d+)\.\.([A-Za-z]*)(\d+)$/u.exec(row);
  if (ends === null || ends[1] !== ends[3] || Number(ends[2]) > Number(ends[4]) || Number(ends[4]) > 10_000) {
    throw new InvalidParameter(`the rows '${row}' are not a range; write such as "C1..C73"`, { row });
  }
  return rangeOf(ends[1], Number(ends[2]), Number(ends[4]));
}

const rangeOf = (prefix: string, from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `${prefix}${from + i}`);
