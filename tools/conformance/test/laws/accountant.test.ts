import { accountants } from '@lethe/accountants';
import { describeRegistryLaws } from '@lethe/laws/vitest';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('accountant', {
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

describeRegistryLaws(runner, accountants, options);
