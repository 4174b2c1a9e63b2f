import type { z } from "zod";
import { ApiError } from "../api/http";

export const notFound = (what: string): ApiError => new ApiError(404, "not_found", `${what} not found`);

/** Returns the error for an invalid field of a request. */
export const invalidInput = (field: string, message: string): ApiError =>
  new ApiError(422, "invalid_input", `invalid input in field '${field}'`, {
    fields: [{ name: field, messages: [message] }],
  });

/** Returns the error for a body that does not fit its schema. */
export function invalidBody(error: z.ZodError): ApiError {
  const fields = error.issues.map(({ path, message }) => ({ name: path.join("."), messages: [message] }));
  const names = fields.map(({ name }) => `'${name}'`).join(", ");
  return new ApiError(422, "invalid_input", `invalid input in fields ${names}`, { fields });
}

export const notUnique = (what: string): ApiError =>
  new ApiError(409, "uniqueness_error", `${what} is already used`, { fields: [{ name: "name" }] });

export const noCapacity = { code: "resource_unavailable", message: "error during placement" };

const usual: Readonly<Record<number, readonly [code: string, message: string]>> = {
  401: ["unauthorized", "unable to authenticate"],
  403: ["forbidden", "insufficient permissions for this request"],
  404: ["not_found", "the requested resource was not found"],
  423: ["locked", "resource is locked by another action"],
  502: ["bad_gateway", "the request could not be answered by the API backend, please retry"],
  503: ["unavailable", "a service or product is currently not available"],
};

export function usualError(status: number, message?: string): ApiError {
  const [code, usualMessage] = usual[status] ?? ["service_error", "the service failed"];
  return new ApiError(status, code, message ?? usualMessage);
}
