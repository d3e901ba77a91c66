import { Readable } from 'node:stream';
import { Body, Get, HttpCode, Param, Put, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiResponse, type SchemaObject } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { Returns } from '../../common/http/answers/returns.js';
import { noteIgnored, Params } from '../../common/http/params/params.js';
import { CurrentOwner, WorkbenchController } from '../workbench-controller.js';
import { SnapshotFiles } from './snapshot-files.service.js';
import { presentSnapshot, SnapshotView } from './snapshot.presenter.js';
import { ImportSnapshot, SNAPSHOT_FILE_SIZE, snapshotName } from './snapshots.dto.js';
import type { Owner } from '../sandbox-accounts.service.js';

/** The document shows it instead of the demo's account for resets. */
const EXAMPLE_ACCOUNT_ID = '05vr32t4o13zy';

const FILE_SCHEMA: SchemaObject = {
  type: 'object',
  required: ['format', 'version', 'accounts'],
  properties: {
    format: { type: 'string', example: 'marquee-snapshot', description: 'Always `marquee-snapshot`.' },
    version: { type: 'integer', enum: [1], description: 'The version of the format.' },
    name: { type: 'string', description: 'The name of the snapshot. An import ignores it.' },
    saved_at: { type: 'string', format: 'date-time', description: 'When it was saved. An import ignores it.' },
    accounts: {
      type: 'array',
      description: 'The accounts, each with its rows by table.',
      items: {
        type: 'object',
        required: ['account_id', 'tables'],
        properties: {
          account_id: { type: 'string', example: EXAMPLE_ACCOUNT_ID, description: 'The id of the account.' },
          tables: {
            type: 'object',
            description: 'Lists of rows, by the name of the table.',
            example: { campaigns: [] },
            additionalProperties: { type: 'array', items: { type: 'object' } },
          },
        },
      },
    },
    signature: { type: 'string', description: 'Shows that this service wrote the file.' },
  },
};

/** Snapshots as files. Not part of the specification: docs/workbench.md. */
@WorkbenchController('snapshots')
export class SnapshotFilesController {
  constructor(private readonly files: SnapshotFiles) {}

  /**
   * Returns a snapshot as a file: JSON with all rows, and a signature. It contains no secrets, posts, uploaded files and
   * passwords, and nothing about the users of the directory.
   */
  @Get(':snapshot_name/content')
  @ApiResponse({ status: 200, description: 'The file.', schema: FILE_SCHEMA })
  async export(@CurrentOwner() owner: Owner, @Param('snapshot_name') name: string, @Res() reply: FastifyReply) {
    const text = await this.files.export(owner, snapshotName(name));
    await reply.type('application/json; charset=utf-8').send(Readable.from(text, { objectMode: false }));
  }

  /**
   * Stores a file as a snapshot, which `restore` then restores. A file that this service wrote keeps its ids in the same
   * accounts. Otherwise all rows get new ids, and whatever a row names is in the file, or is something that a request of
   * the account can name: a post, an upload, an audience that is shared with it. People are matched and counted again.
   */
  @Put(':snapshot_name/content')
  @HttpCode(201)
  @Policy({ body: 'json' })
  @RouteConfig({ takesJsonOnly: true, ...SNAPSHOT_FILE_SIZE })
  @ApiBody({ description: 'A file of `GET /workbench/snapshots/:snapshot_name/content`.', schema: FILE_SCHEMA })
  @Returns(SnapshotView, { status: [200, 201] })
  async import(
    @CurrentOwner() owner: Owner,
    @Param('snapshot_name') name: string,
    @Params() { account_ids: accountIds }: ImportSnapshot,
    @Body() file: unknown,
    @Req() { query }: FastifyRequest,
  ) {
    const { stored, ignored } = await this.files.import(owner, snapshotName(name), file, accountIds);
    if (ignored.length > 0)
      noteIgnored(query, `Ignored ${ignored.join(', ')}: people are matched, counted and estimated again.`);
    return stored.map(presentSnapshot);
  }
}
