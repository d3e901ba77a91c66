import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as OTLP has it in JSON. */
export interface Exported {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
}

/** Takes spans as a collector does. */
export class Collector {
  readonly spans: Exported[] = [];
  readonly services = new Set<string>();
  private constructor(private readonly server: Server) {}

  static async start(): Promise<Collector> {
    const server = createServer();
    const collector = new Collector(server);
    server.on('request', (request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        if (request.url === '/v1/traces') collector.take(JSON.parse(body));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private take({ resourceSpans }: { resourceSpans: ResourceSpans[] }): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      for (const { key, value } of resource.attributes)
        if (key === 'service.name') this.services.add(value.stringValue!);
      this.spans.push(...scopeSpans.flatMap(({ spans }) => spans));
    }
  }
}

interface ResourceSpans {
  resource: Pick<Exported, 'attributes'>;
  scopeSpans: { spans: Exported[] }[];
}
