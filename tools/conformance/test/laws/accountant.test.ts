import { accountants } from '@lethe/accountants';
import { describeRegistryLaws } from '@lethe/laws/vitest';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner({
  alike: [
    'accountant/amplified-more',
    'accountant/count',
    'accountant/extremes',
    'accountant/interval',
    'accountant/large-costs',
    'accountant/monotone-in-epsilon',
    'accountant/queries',
    'accountant/rare-draws',
    'accountant/regrouping',
    'accountant/small-delta',
  ],
});
const options = optionsFor('accountant');

describeRegistryLaws(runner, accountants, options);
