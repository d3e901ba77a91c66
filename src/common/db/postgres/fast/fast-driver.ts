import type { Driver } from '../driver.js';
import { PipelinedConnections } from './pipelined-connections.js';
import { preparedQuery } from './prepared-query.js';
import { WireClient } from './wire-client.js';

/**
 * What leans on pg's inside; everything in this folder may stop working with another version of pg. It is loaded by
 * `chooseDriver` alone, which checks it and can do without it (docs/decisions/0009).
 */
export const FAST: Driver = {
  name: 'fast',
  Client: WireClient,
  query: preparedQuery,
  pipelined: (settings, most) => new PipelinedConnections(settings, most),
};
