import { Logger } from '@nestjs/common';
import type { DiagLogger } from '@opentelemetry/api';
import { recordSpansWith } from '../common/tracing/tracing.js';
import type { Config } from '../config.js';
import { VERSION } from './version.js';

/** Where spans cannot be exported there is a line in the log so often. */
const COMPLAINT_MS = 60_000;
/** How long the last spans have to be sent. */
const FLUSH_MS = 2_000;

/**
 * Records spans of requests, statements, commands of Redis and jobs, where OpenTelemetry's own variables ask for them, and
 * exports them as these say (`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER`, ...). Without them
 * nothing of OpenTelemetry is loaded. Returns what sends the last spans and ends it.
 */
export async function startTraces({ tracesExporter }: Pick<Config, 'tracesExporter'>): Promise<() => Promise<void>> {
  if (!tracesExporter) return () => Promise.resolve();
  const api = await import('@opentelemetry/api');
  const { NodeSDK, resources } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES replace it
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': 'marquee', 'service.version': VERSION })),
    resourceDetectors: [resources.envDetector, resources.hostDetector],
    // figures are asked for at /metrics, and log lines go to standard output
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

/** What OpenTelemetry has to say, in our own lines and not for every batch of spans that could not be sent. */
function complaints(): DiagLogger {
  const logger = new Logger('Traces');
  let lastWarnedAt = -Infinity;
  const complain = (...said: unknown[]) => {
    if (performance.now() - lastWarnedAt < COMPLAINT_MS) return;
    lastWarnedAt = performance.now();
    const reasons = said.map((each) => reasonIn(String(each)));
    logger.warn(`Spans may be lost, and nothing else is: ${reasons.join(' ')}`);
  };
  const nothing = () => undefined;
  return { error: complain, warn: complain, info: nothing, debug: nothing, verbose: nothing };
}

/** Errors arrive as the JSON of all they have, the stack included. */
function reasonIn(message: string): string {
  try {
    const { message: reason, code } = JSON.parse(message) as { message?: string; code?: string };
    return [reason, code].filter(Boolean).join(' ') || message;
  } catch {
    return message;
  }
}
