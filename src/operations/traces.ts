import { Logger } from '@nestjs/common';
import type { DiagLogger } from '@opentelemetry/api';
import { recordSpansWith } from '../common/tracing/tracing.js';
import type { Config } from '../config/config.js';
import { VERSION } from './version.js';

/** Minimum time between two log lines about failed exports. */
const COMPLAINT_MS = 60_000;
/** Timeout for sending the last spans. */
const FLUSH_MS = 2_000;

/**
 * Records spans of requests, statements, Redis commands and jobs when OpenTelemetry's own variables enable it, and
 * exports them as these configure (`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER`, ...).
 * Otherwise it loads no part of OpenTelemetry. Returns a function that sends the last spans and shuts it down.
 */
export async function startTraces({ tracesExporter }: Pick<Config, 'tracesExporter'>): Promise<() => Promise<void>> {
  if (!tracesExporter) return () => Promise.resolve();
  const api = await import('@opentelemetry/api');
  const { NodeSDK, resources } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override it
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': 'marquee', 'service.version': VERSION })),
    resourceDetectors: [resources.envDetector, resources.hostDetector],
    // metrics are served at /metrics, and logs go to standard output
    metricReaders: [],
    logRecordProcessors: [],
  });
  api.diag.setLogger(complaints(), { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true });
  sdk.start();
  recordSpansWith(api);
  return async () => {
    recordSpansWith(undefined);
    const late = new Promise<void>((resolve) => setTimeout(resolve, FLUSH_MS).unref());
    await Promise.race([sdk.shutdown().catch(() => undefined), late]);
  };
}

/** Writes OpenTelemetry's messages to the service's log, rate-limited for batches that failed to send. */
function complaints(): DiagLogger {
  const logger = new Logger('Traces');
  let lastWarnedAt = -Infinity;
  const complain = (...said: unknown[]) => {
    if (performance.now() - lastWarnedAt < COMPLAINT_MS) return;
    lastWarnedAt = performance.now();
    const reasons = said.map((each) => reasonIn(String(each)));
    logger.warn(`Spans may be lost, but no other data: ${reasons.join(' ')}`);
  };
  const nothing = () => undefined;
  return { error: complain, warn: complain, info: nothing, debug: nothing, verbose: nothing };
}

/** OpenTelemetry passes errors as JSON, including the stack. */
function reasonIn(message: string): string {
  try {
    const { message: reason, code } = JSON.parse(message) as { message?: string; code?: string };
    return [reason, code].filter(Boolean).join(' ') || message;
  } catch {
    return message;
  }
}
