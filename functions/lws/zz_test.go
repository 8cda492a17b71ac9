package lws
import ("testing";"fmt";"google.golang.org/protobuf/encoding/protojson")
func TestZZ(t *testing.T){
 _ = leaderWorkerSetOf; _ = podGroupOf; _ = deploymentOf; _ = answer; _ = refused; _ = byKAI; _ = byOperator
 rsp:=run(t,request(`{"services":{"Frontend":{"replicas":3},"Worker":{"multinode":{"nodeCount":4},"replicas":2,"resources":{"limits":{"gpu":"8"}},"extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1"}}}}}`, planOf(byPodGroup,"Frontend","Worker")))
 b,_:=protojson.MarshalOptions{Multiline:true}.Marshal(rsp.GetDesired()); fmt.Println(string(b))
}
