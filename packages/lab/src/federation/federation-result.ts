import type { Interval, PrivacyEvent } from '@lethe/core';
import type { ModelFile } from '@lethe/train';
import type { Environment } from '../experiment/environment.js';
import type { Federation } from './federation-schema.js';

/** What became of one silo. */
export interface SiloResult {
  readonly name: string;
  readonly records: number;
  /** What its ledger holds of the run. */
  readonly spent: PrivacyEvent;
  /** What is certified: what it set aside, or else what it spent. */
  readonly charged: PrivacyEvent;
  /** ε of one of its records against everybody who sees its messages, at the δ of the budget. */
  readonly epsilon: Interval;
  readonly requests: number;
  readonly replies: number;
  readonly sent: number;
  readonly received: number;
  /** Seconds that the server waited for its replies, in all and at most. */
  readonly waited: number;
  readonly longest: number;
  /** Rounds that went on without it, since the run was last resumed. */
  readonly missed: number;
}

/** A federated run that has come to its end. */
export interface FederationResult {
  readonly kind: 'federation';
  readonly label: 'release' | 'simulation: no privacy';
  readonly experiment: Federation;
  readonly command: string;
  readonly environment: Environment;
  readonly run: string;
  /** SHA-256 of the plan that all parties signed. */
  readonly plan: string;
  readonly optimizer: unknown;
  readonly queries: number;
  readonly resumedAt: number;
  /** Secure sums that have no value, since the run was last resumed: the next ones have what they lacked. */
  readonly lostSums: number;
  readonly seconds: number;
  readonly silos: readonly SiloResult[];
  readonly output: readonly number[];
  readonly weights: readonly string[];
  /** The model as a file for `lethe predict`; `null` where no model file says its features or its label. */
  readonly model: ModelFile | null;
}
