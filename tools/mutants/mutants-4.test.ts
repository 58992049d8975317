import { describeMutants } from './shard.js';

describeMutants(3, 4);
