import type { Owners, RecordDomain, Ref, Registry, StoredRows } from '@lethe/core';
import type { CsrMatrix, MatrixView, Numbers, Precision } from '@lethe/numerics';
import type { NdArray } from 'ndarray';
import type { Ledger } from '../ledger/index.js';
import type { OutsidePolicy } from './enforce-domain.js';

/**
 * What a data owner hands over. Shapes: `features` [n, d] of any stride, or CSR rows; `labels` [n], or [n,
 * width] row-major where the loss declares labels of a width; `nulls` [n].
 */
export interface DataInput {
  readonly features: NdArray<Numbers> | MatrixView | CsrMatrix;
  /** @defaultValue zeros, for losses without labels */
  readonly labels?: Float64Array;
  /** 1 marks a slot that holds the null record, which contributes nothing. @defaultValue no slot */
  readonly nulls?: Uint8Array;
  readonly loss: Ref<'loss'>;
  readonly registry: Registry;
  /** Declared public bounds on every record; the only source of `every-record` facts. */
  readonly domain?: Omit<RecordDomain, 'columns'>;
  /** What happens to a record outside the declared bounds. @defaultValue 'reject' */
  readonly outside?: OutsidePolicy;
  /**
   * What happens to a record with a feature that is not finite, or a label that the loss does not take: it
   * stops the reading, or stands as a null record, so that nobody learns from an error what one record holds.
   * @defaultValue 'reject'
   */
  readonly unreadable?: 'reject' | 'null';
  /**
   * Bits in which the numbers of dense features are kept. The data are what is kept: 32 rounds every number
   * towards zero, record by record, before anything else is done with it, and takes half the memory. All
   * arithmetic is that of 64 bits. @defaultValue those of the array given
   */
  readonly precision?: Precision;
  /**
   * Bytes by which the ledger recognises the data. Give those of the source when several designs of the same
   * records, in the same order, share one ledger. Owners are part of what is recognised, whatever is given.
   * @defaultValue features, labels and nulls
   */
  readonly identity?: readonly Uint8Array[];
  readonly ledger: Ledger;
  /**
   * Owners of several records: what is protected is then everything that one owner has, and the loss is the
   * average of an owner's records. @defaultValue each record has an owner of its own
   */
  readonly owners?: Owners;
}

/** What an owner hands over whose rows are kept outside memory with their labels: `labels` is left out. */
export type StoredInput = Omit<DataInput, 'features' | 'precision'> & { readonly features: StoredRows };

/** The same with what was left out, and nothing that its owner can still change. */
export type TakenIn<Input> = Input & Required<Pick<DataInput, 'domain' | 'outside' | 'unreadable'>>;
