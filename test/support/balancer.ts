import { freePort, startNginx } from './nginx.js';

/** nginx before the replicas, which it asks in turn; it sends no request twice. */
export async function startBalancer(ports: number[]): Promise<{ port: number; close(): Promise<void> }> {
  const port = await freePort();
  return startNginx(
    port,
    `
  large_client_header_buffers 8 64k;
  client_max_body_size 20m;
  keepalive_requests 100000;
  upstream marquee {
    ${ports.map((each) => `server 127.0.0.1:${each} max_fails=0;`).join('\n    ')}
    keepalive 64;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://marquee;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_next_upstream off;
    }
  }`,
  );
}
