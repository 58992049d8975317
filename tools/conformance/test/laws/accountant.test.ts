import { accountants } from '@lethe/accountants';
import { describeRegistryLaws } from '@lethe/laws/vitest';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('accountant');

describeRegistryLaws(runner, accountants, options);
