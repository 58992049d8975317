export {
  describeLaws,
  describePluginLaws,
  describeRegistryLaws,
  type Runner,
  type SuiteOptions,
} from './law/describe.js';
