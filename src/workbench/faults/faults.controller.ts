import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import { CurrentApplicationId, WorkbenchController } from '../workbench-controller.js';
import { FaultDeletedView, FaultView, presentFault } from './fault.presenter.js';
import { CreateFault, ListFaults } from './faults.dto.js';
import { FaultsService } from './faults.service.js';

/** The faults that the requests of an application and its webhooks meet. Not part of the specification: docs/workbench.md. */
@WorkbenchController('faults')
export class FaultsController {
  constructor(private readonly faults: FaultsService) {}

  /** Lists the faults of the application, newest first, with those that have ended. */
  @Get()
  @ReturnsPage(FaultView)
  async list(@CurrentApplicationId() applicationId: string, @Params() query: ListFaults) {
    return (await this.faults.list(applicationId, query)).map(presentFault);
  }

  /**
   * Creates a fault: a latency, an error, a broken connection, a rate limit, or a fault in the deliveries to webhooks.
   * Requests of the application meet the oldest fault that matches, and so do its deliveries. An application has at most
   * 100 faults.
   */
  @Post()
  @Returns(FaultView, { status: 201 })
  async create(@CurrentApplicationId() applicationId: string, @Params() params: CreateFault) {
    return presentFault(await this.faults.create(applicationId, params));
  }

  /** Returns a fault, and how often it was applied. */
  @Get(':fault_id')
  @Returns(FaultView)
  async get(@CurrentApplicationId() applicationId: string, @Param('fault_id') id: string) {
    return presentFault(await this.faults.get(applicationId, id));
  }

  /** Replaces a fault. Absent parameters get their defaults, and its count starts again. */
  @Put(':fault_id')
  @Returns(FaultView)
  async update(
    @CurrentApplicationId() applicationId: string,
    @Param('fault_id') id: string,
    @Params() params: CreateFault,
  ) {
    return presentFault(await this.faults.replace(applicationId, id, params));
  }

  /** Deletes a fault. Requests that arrive later do not meet it. */
  @Delete(':fault_id')
  @Returns(FaultDeletedView)
  async delete(@CurrentApplicationId() applicationId: string, @Param('fault_id') id: string) {
    await this.faults.delete(applicationId, id);
    return { deleted: true };
  }
}
