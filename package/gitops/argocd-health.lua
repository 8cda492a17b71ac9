-- The health of a DynamoGraphDeployment for Argo CD, of a claim too. docs/gitops.md says how to install it, and what each status means.
-- Argo CD opens the basic functions of Lua and library table, and no library for strings.

local status = obj.status or {}
local generation = obj.metadata.generation or 0
local conditions = {}
for _, c in ipairs(status.conditions or {}) do
  conditions[c.type] = c
end

local function is(name, value)
  return conditions[name] ~= nil and conditions[name].status == value
end

local function reason(name)
  return conditions[name] ~= nil and conditions[name].reason or ""
end

-- What a condition says: its reason, and its message if it has one.
local function said(name)
  local c = conditions[name]
  if c == nil then
    return name .. " is not known"
  end
  if c.message == nil or c.message == "" then
    return name .. ": " .. (c.reason or "")
  end
  return name .. ": " .. (c.reason or "") .. ": " .. c.message
end

-- What someone should look at, even if the graph is healthy.
local function result(health, message)
  local parts = {}
  if message ~= "" then
    table.insert(parts, message)
  end
  if is("Accepted", "True") and reason("Accepted") == "ValidWithWarnings" then
    table.insert(parts, said("Accepted"))
  end
  for _, name in ipairs({"QueueAvailable", "TopologyLevelsAvailable", "Responsive"}) do
    if is(name, "False") then
      table.insert(parts, said(name))
    end
  end
  return {status = health, message = table.concat(parts, "; ")}
end

if obj.metadata.deletionTimestamp ~= nil then
  return result("Progressing", "the graph is being deleted")
end
if next(conditions) == nil then
  return result("Progressing", "the graph has not been reconciled yet")
end
if reason("Synced") == "ReconcilePaused" then
  return result("Suspended", said("Synced"))
end

-- All conditions were written together with Synced, so none of them is about a later generation.
local synced = conditions["Synced"]
if synced ~= nil and synced.observedGeneration ~= nil and synced.observedGeneration < generation then
  return result("Progressing", "generation " .. generation .. " has not been reconciled yet")
end

-- A refused spec leaves Ready as it was, and status.observedGeneration behind.
if is("Accepted", "False") then
  if reason("Accepted") == "WaitingForDeletion" then
    return result("Progressing", said("Accepted"))
  end
  return result("Degraded", said("Accepted"))
end
if is("Synced", "False") then
  return result("Degraded", said("Synced"))
end

-- The status of a claim is a copy of its composite resource's, whose generations are others.
local claim = obj.spec.resourceRef ~= nil
if not claim and (status.observedGeneration or 0) < generation then
  return result("Progressing", "generation " .. generation .. " has not been applied yet")
end
if status.state == "failed" then
  return result("Degraded", said("ServicesReady"))
end
if is("Accepted", "True") and is("Ready", "True") and is("ServicesReady", "True") then
  return result("Healthy", "")
end
if not is("ServicesReady", "True") then
  return result("Progressing", said("ServicesReady"))
end
return result("Progressing", said("Ready"))
