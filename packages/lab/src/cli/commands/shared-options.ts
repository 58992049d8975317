import type { Adjacency, PluginKind } from '@lethe/core';
import type { Option } from '../command.js';
import { namesOf } from './names-of.js';

export const adjacencies = namesOf<Adjacency>({
  'replace-one': true,
  'add-remove': true,
  'zero-out': true,
});
export const pluginKinds = namesOf<PluginKind>({
  mechanism: true,
  selector: true,
  clip: true,
  mean: true,
  localRandomiser: true,
  sketch: true,
  sampler: true,
  prefixSum: true,
  solver: true,
  domain: true,
  regulariser: true,
  event: true,
  accountant: true,
  loss: true,
  optimizer: true,
  lowerBound: true,
});

export const adjacencyOption: Option = {
  type: 'string',
  value: 'A',
  choices: adjacencies,
  help: 'which data sets are neighbours',
};
export const jsonFlag: Option = { type: 'boolean', help: 'JSON on stdout, nothing else there' };
export const secondsOption: Option = {
  type: 'number',
  value: 'S',
  help:
    'the time for each question to accountants; after it, the answer is the best interval so far ' +
    '(default: no limit)',
};
export const pluginOption: Option = {
  type: 'string',
  multiple: true,
  value: 'PATH_OR_PACKAGE',
  help:
    'also use the plugins that this module exports; ' +
    'packages are looked up from the current folder; may be repeated',
};
export const setOption: Option = {
  type: 'string',
  multiple: true,
  value: 'PATH=VALUE',
  help:
    'change a value of the files, such as seeds.count=20 or optimizers.0.params.steps=200, before they are ' +
    'checked; may be repeated',
};
export const delimiterOption: Option = {
  type: 'string',
  value: 'C',
  help: "separator of the fields of a CSV file, such as ';', or tab (default a comma; in .tsv a tab)",
};

/** What is wrong with the value of {@link delimiterOption}. */
export const delimiterMistakes = (given: string | undefined): readonly string[] =>
  given === undefined || /^(?:[^"\r\n]|tab|\\t)$/u.test(given)
    ? []
    : [`--delimiter is '${given}'; it must be one character other than a quote, such as ';', or tab`];
