import { Controller, Delete, Get, Param, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeController, ApiResponse, type SchemaObject } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountController, CurrentAccount } from '../accounts/access/account-controller.js';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { Policy } from '../auth/guards/endpoint-policy.js';
import type { Row } from '../common/db/query/rows.js';
import { pageNotFound } from '../common/errors/catalogue.js';
import { Returns } from '../common/http/answers/returns.js';
import { sendBlob, type ServedBlob } from '../common/http/answers/send-blob.js';
import { JsonBody } from '../common/http/params/params.js';
import { isAtX } from '../names/names-hooks.js';
import type { LeadExport } from './lead-export.entity.js';
import { LeadExportView, presentLeadExport } from './lead-export.presenter.js';
import { CreateLeadExport } from './lead-exports.dto.js';
import { LEADS_EXPORT } from './lead-exports.permissions.js';
import { LeadExportsService } from './lead-exports.service.js';

/** Files of the other formats have the same columns. */
const FILE: SchemaObject = {
  type: 'object',
  required: ['data_type', 'data'],
  properties: {
    data_type: { type: 'string', const: 'leads', description: 'What the items are.' } as SchemaObject,
    data: {
      type: 'array',
      description: 'The leads: what people filled in by the key of the field, or null, and what each lead belongs to.',
      items: { type: 'object', additionalProperties: { type: ['string', 'null'] } as unknown as SchemaObject },
    },
  },
};

/** Sends a file that browsers save under its name. */
const send = (request: FastifyRequest, reply: FastifyReply, file: ServedBlob & { name: string }) =>
  sendBlob(request, reply.header('content-disposition', `attachment; filename="${file.name}"`), file);

/** Serves the files of exports. The signed path names the user, who is an administrator of the account when the file is sent. */
@Controller('lead-exports')
@ApiExcludeController()
export class LeadFilesController {
  constructor(private readonly exports: LeadExportsService) {}

  /** Returns the file of an export, in full or as a byte range. */
  @Get(':file')
  async send(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('file') name: string) {
    const found = await this.exports.fileAt(name);
    if (!found) throw pageNotFound();
    await send(request, reply, found);
  }
}

/** An export changes nothing of the account, but only administrators see leads. */
@AccountController('ad-export/api/v1/exports', { tag: 'Lead forms', reads: LEADS_EXPORT, writes: LEADS_EXPORT })
export class LeadExportsController {
  constructor(private readonly exports: LeadExportsService) {}

  /**
   * Creates an export of the leads of a form into a file. Read the export until it is no longer `QUEUED` or `PROCESSING`. An
   * account has at most 20 exports in these statuses: the headers `x-concurrent-job-limit` and
   * `x-concurrent-job-limit-remaining` have the limit and what is left of it.
   */
  @Post()
  @Policy({ body: 'json' })
  @RouteConfig({ takesJsonOnly: true })
  @Returns(LeadExportView, { status: 201 })
  async create(
    @Req() http: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAccount() account: ActingAccount,
    @JsonBody() params: CreateLeadExport,
  ) {
    const created = await this.exports.create(account, params, isAtX(http.raw) ? 'x' : 'marquee');
    reply.headers(await this.exports.loadOf(account));
    return this.present(account, created);
  }

  /** Returns an export. */
  @Get(':export_id')
  @Returns(LeadExportView)
  async get(@CurrentAccount() account: ActingAccount, @Param('export_id') id: string) {
    return this.present(account, await this.exports.get(account, id));
  }

  /** Returns the file of an export: the leads in the order of their submission. */
  @Get(':export_id/download')
  @ApiResponse({
    status: 200,
    description:
      'The file. For `json` it has this form; for `csv` it is `text/csv`, for `xlsx` a workbook with one sheet.',
    schema: FILE,
  })
  async download(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @CurrentAccount() account: ActingAccount,
    @Param('export_id') id: string,
  ) {
    await send(request, reply, await this.exports.fileOf(account, id));
  }

  /** Cancels an export that is `QUEUED` or `PROCESSING`. */
  @Delete(':export_id')
  @Returns(LeadExportView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('export_id') id: string) {
    return this.present(account, await this.exports.cancel(account, id));
  }

  private present(account: ActingAccount, found: Row<LeadExport>): LeadExportView {
    return presentLeadExport(found, this.exports.urlOf(account.userId, found));
  }
}
