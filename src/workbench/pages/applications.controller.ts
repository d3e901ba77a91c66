import { Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WorkbenchPageController, SECTIONS } from './sections.js';
import { WorkbenchPages } from './workbench-pages.js';

/** The page of the applications that a user owns. */
@WorkbenchPageController('workbench')
export class WorkbenchApplicationsController {
  constructor(private readonly pages: WorkbenchPages) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const session = await this.pages.signedIn(request, reply);
    if (session) await this.pages.showApplications(reply, session);
  }

  @Get('applications/:application_id')
  async open(@Param('application_id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const visit = await this.pages.open(request, reply, id);
    if (visit) await this.pages.redirect(reply, visit, SECTIONS[0].path, '');
  }
}
