import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { existsSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Clock } from '../../common/clock.js';
import { Config } from '../../config.js';
import { place } from './servers.js';
import { withDemoIds } from './examples.js';

/** Three levels up from here lies the tree's root in src, four in dist. */
const FILE = ['../../../openapi.json', '../../../../openapi.json']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find(existsSync);

/** Short, and never the same twice: the time. */
const newName = () => Clock.machineMs().toString(36);

/** The OpenAPI document of this release, with the servers of this configuration; read when somebody asks for it first. */
@Injectable()
export class ApiDocument {
  private text?: string;

  constructor(private readonly config: Config) {}

  /** As text; with the ids of the demo world in its examples where they are given. */
  async asText(demoIds?: Record<string, string>): Promise<string> {
    this.text ??= await this.read();
    return demoIds ? withDemoIds(this.text, demoIds, newName()) : this.text;
  }

  private async read(): Promise<string> {
    if (!FILE) throw new Error('there is no openapi.json beside the service');
    const document = JSON.parse(await readFile(FILE, 'utf8')) as OpenAPIObject;
    place(document, this.config);
    return JSON.stringify(document);
  }
}
