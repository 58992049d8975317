import type {
  Accountant,
  Adjacency,
  Answered,
  Claim,
  Clip,
  Curator,
  DomainPlugin,
  EventKind,
  LocalRandomiser,
  Loss,
  LowerBound,
  Mean,
  Mechanism,
  Optimizer,
  Plugin,
  PluginKind,
  PrefixSum,
  PrivacyEvent,
  RandomSource,
  Registry,
  Regulariser,
  Sampler,
  Selector,
  Sketch,
  Solver,
  Store,
} from '@lethe/core';
import type { Ledger, LedgerOptions, ShuffleCuratorOptions } from '@lethe/curator';
import type {
  FederationOptions,
  OpenRawSilo,
  RawSiloOptions,
  SiloCurator,
  SiloCuratorOptions,
  TrustedFederationOptions,
  AddendSiloOptions,
  HeldAddendSilo,
  OpenAddendSilo,
  SecureFederationOptions,
} from '@lethe/curator/federation';

interface Plugins {
  readonly mechanism: Mechanism;
  readonly selector: Selector;
  readonly clip: Clip;
  readonly mean: Mean;
  readonly localRandomiser: LocalRandomiser;
  readonly sketch: Sketch;
  readonly sampler: Sampler;
  readonly prefixSum: PrefixSum;
  readonly solver: Solver;
  readonly domain: DomainPlugin;
  readonly regulariser: Regulariser;
  readonly event: EventKind;
  readonly accountant: Accountant;
  readonly loss: Loss;
  readonly optimizer: Optimizer;
  readonly lowerBound: LowerBound;
}

/** Common fields of subjects: plugins at given parameters, or other parts of the framework. */
interface Named<K extends string> {
  readonly kind: K;
  readonly name: string;
  readonly claims: readonly Claim[];
}

/** A plugin, its parsed parameters, and the plugins used with it. */
export interface PluginSubject<K extends PluginKind, P extends Plugin = Plugin> extends Named<K> {
  readonly plugin: P;
  readonly params: unknown;
  readonly registry: Registry;
}

/**
 * A maker of curators. The laws provide data, ledger, randomness
 * and the registry; `honestUsers` under trust `shuffle` only.
 */
export interface CuratorSubject extends Named<'curator'> {
  readonly registry: Registry;
  /** Trust model, which determines the queries it must answer. @defaultValue 'central' */
  readonly trust?: 'central' | 'shuffle';
  /** Opens a curator over a data set. */
  readonly open: (options: ShuffleCuratorOptions) => Curator<Answered>;
}

/** A randomised algorithm on data sets with a claimed cost, tested by its outputs alone. */
export interface ReleaseSubject<Data = unknown> extends Named<'release'> {
  readonly adjacency: Adjacency;
  readonly event: PrivacyEvent;
  readonly kinds?: readonly EventKind[];
  /** Neighbours for the tests, the worst first; of answers to queries `queryPairs` proposes some. */
  readonly pairs: readonly (readonly [Data, Data])[];
  /** One output of fixed length; called with fresh randomness each time. */
  readonly release: (
    data: Data,
    randomness: { readonly key: string; readonly random: RandomSource },
  ) => ArrayLike<number>;
  /** `log p(output | pair[0]) − log p(output | pair[1])`, if known. */
  readonly logRatio?: (output: ArrayLike<number>, pair: readonly [Data, Data]) => number;
}

/** A maker of ledgers. */
export interface LedgerSubject extends Named<'ledger'> {
  /** Opens a new ledger. */
  readonly open: (options: LedgerOptions) => Ledger;
}
/**
 * A maker of stores. `open` finds the content of earlier `open`s of the same `place`; places are fresh names.
 */
export interface StoreSubject extends Named<'store'> {
  /** Opens the store at a place. */
  readonly open: (place: string) => Store;
}

/** Makers of federations, and of silos that trust their server, add to secure sums, or hold to a plan. */
export interface FederationSubject extends Named<'federation'> {
  readonly registry: Registry;
  /** One curator over silos that do not trust their server. */
  readonly join: (options: FederationOptions<Answered>) => Curator<Answered>;
  /** One curator over silos that trust their server. */
  readonly joinTrusted: (options: TrustedFederationOptions<Answered>) => Curator<Answered>;
  /** A silo that answers without noise, for a trusted server. */
  readonly raw: (options: RawSiloOptions) => OpenRawSilo;
  /** A silo that is held to an agreed plan. */
  readonly hold: (options: SiloCuratorOptions) => SiloCurator;
  /** A silo whose answers are masked, for secure sums. */
  readonly addend: (options: AddendSiloOptions) => OpenAddendSilo;
  /** Curator that adds up the masked answers of silos. */
  readonly joinSecure: (options: SecureFederationOptions<Answered>) => Curator<Answered>;
  /** A silo with masked answers that is held to an agreed plan. */
  readonly holdAddends: (options: SiloCuratorOptions) => HeldAddendSilo;
}

/** Every kind of subject, by name. */
export type Subjects = { readonly [K in PluginKind]: PluginSubject<K, Plugins[K]> } & {
  readonly curator: CuratorSubject;
  readonly federation: FederationSubject;
  readonly release: ReleaseSubject;
  readonly ledger: LedgerSubject;
  readonly store: StoreSubject;
};
/** Kinds of subjects. */
export type SubjectKind = keyof Subjects;
/** A subject of the given kind, or of any kind. */
export type Subject<K extends SubjectKind = SubjectKind> = { [Kind in K]: Subjects[Kind] }[K];
