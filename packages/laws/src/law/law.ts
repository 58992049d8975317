import type { Adjacency, Json, RandomSource, Source } from '@lethe/core';
import type { Arbitrary } from 'fast-check';
import type { Finding, Violation } from './finding.js';
import type { Subject, SubjectKind } from './subject.js';

/**
 * Method of a law: calculation, search over inputs, or sampling,
 * in order of preference. `nightly` laws run only on request.
 */
export type Tier = 'exact' | 'search' | 'statistical' | 'nightly';
/** Kind of subject and name, unique. */
export type LawId<K extends SubjectKind = SubjectKind> = `${K}/${string}`;
/** An invariant of the contract between optimizer and curator. */
export type Invariant = `I-${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11}`;

/** One combination in which a law is checked: an adjacency, a scale, a partner. */
export interface Cell {
  readonly name: string;
  readonly adjacency?: Adjacency;
  readonly values?: Readonly<Record<string, Json>>;
}

/**
 * Inputs of a check besides its subject. All randomness follows
 * from the seed of the suite, the law, the subject and the cell.
 */
export interface LawEnv {
  readonly cell: Cell;
  /** False-alarm probability of this cell, for any samples and at any stopping time. */
  readonly alpha: number;
  /** `count` times the effort (1 on every change, more at night); at least 1. */
  samples(count: number): number;
  /** An independent source for each label, equal at every call. */
  random(label: string | number): RandomSource;
  /**
   * Searches for an input on which `check` finds a violation or throws, and shrinks it.
   *
   * @param options - `runs`: inputs tried, before effort, by default 100; `examples`: inputs tried first.
   */
  forAll<T>(
    inputs: Arbitrary<T>,
    check: (input: T) => Violation | undefined,
    options?: { readonly runs?: number; readonly examples?: readonly T[] },
  ): Finding;
}

/** A property that subjects of one kind must have. Laws are values, independent of test runners. */
export interface Law<K extends SubjectKind = SubjectKind> {
  readonly id: LawId<K>;
  readonly kind: K;
  /** The claim it checks, by `Claim.property`. @defaultValue the part of `id` after the slash */
  readonly property?: string;
  readonly tier: Tier;
  /** The law in one sentence. */
  readonly statement: string;
  readonly source?: Source;
  readonly invariant?: Invariant;
  /** Whether the law runs only for subjects that claim the property. @defaultValue false */
  readonly onClaim?: boolean;
  /** The smallest violation that it detects, and with which probability. */
  readonly power: string;
  /** The reason why the law does not apply to this subject, else `undefined`. */
  readonly exempt?: (subject: Subject<K>) => string | undefined;
  /** Combinations to check. @defaultValue one */
  readonly cells?: (subject: Subject<K>) => readonly Cell[];
  /**
   * Number of other parameters of the plugin at which the law is checked too, with a quarter of the effort; 0
   * for a law that takes care of them itself. @defaultValue 4; 0 for optimizers, events and laws that sample
   */
  readonly elsewhere?: number;
  /** Checks one combination. */
  readonly check: (subject: Subject<K>, env: LawEnv) => Finding | Promise<Finding>;
}

/** Declares a law; its id begins with its kind. */
export const defineLaw = <K extends SubjectKind>(
  law: Omit<Law<K>, 'id'> & { readonly id: `${NoInfer<K>}/${string}` },
): Law<K> => Object.freeze(law) as Law<K>;

/** The claim that a law checks. */
export const propertyOf = ({ property, id }: Pick<Law, 'property' | 'id'>): string =>
  property ?? id.slice(id.indexOf('/') + 1);
