import { Injectable } from '@nestjs/common';
import { Metrics } from '../common/metrics/metrics.js';
import { VERSION } from './version.js';

/** Exports the running release as a metric, so that graphs show when a release was rolled out. */
@Injectable()
export class BuildInfo {
  constructor(metrics: Metrics) {
    metrics.info('build_info', 'The release of Marquee and its environment', {
      version: VERSION,
      node: process.version,
    });
  }
}
