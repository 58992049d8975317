import { affordExamples } from './kinds/afford.js';
import { chooseExamples } from './kinds/choose.js';
import { closeExamples } from './kinds/close.js';
import { descendExamples } from './kinds/descend.js';
import { drawExamples } from './kinds/draw.js';
import { localUpdateExamples } from './kinds/local-update.js';
import { meanExamples } from './kinds/mean.js';
import { minimiserExamples } from './kinds/minimiser.js';
import { openExamples } from './kinds/open.js';
import { pushExamples } from './kinds/push.js';
import { selectExamples } from './kinds/select.js';
import { splitExamples } from './kinds/split.js';
import { valueExamples } from './kinds/value.js';
import type { Examples } from './row.js';
import { table, type AnyTable, type Table } from './table.js';

/** The rows of a table, each with its examples. A kind that has none does not compile. */
export type WithExamples<T extends AnyTable = Table> = {
  readonly [N in keyof T]: T[N] & { readonly examples: Examples<T[N]> };
};

/** Every kind of query with its examples, for laws and tests. */
export const queryTable = {
  draw: { ...table.draw, examples: drawExamples },
  split: { ...table.split, examples: splitExamples },
  close: { ...table.close, examples: closeExamples },
  mean: { ...table.mean, examples: meanExamples },
  localUpdate: { ...table.localUpdate, examples: localUpdateExamples },
  open: { ...table.open, examples: openExamples },
  push: { ...table.push, examples: pushExamples },
  value: { ...table.value, examples: valueExamples },
  minimiser: { ...table.minimiser, examples: minimiserExamples },
  descend: { ...table.descend, examples: descendExamples },
  choose: { ...table.choose, examples: chooseExamples },
  select: { ...table.select, examples: selectExamples },
  afford: { ...table.afford, examples: affordExamples },
} as const satisfies WithExamples;
